#!/usr/bin/env bash
# Mutation tests: plants one error at a time in a package and checks that a test detects it.
#
#   tests/mutants.sh [--list | --check] [--argued] [--narrow] [filter..]
#
# The mutants are listed in `mutants.txt`, which also describes the format. Filters select mutants by a part of their name or
# file. The working tree, with uncommitted changes, is copied to `target/mutants`; nothing else is written. One mutant takes
# some ten seconds on an idle machine, all of them an hour.
#
#   --list    prints the names of the mutants
#   --check   only checks that the file contains the text to replace exactly once
#   --argued  also tries mutants that are argued to be undetectable
#   --narrow  runs only the tests that a mutant names; without it, all others run before a mutant counts as a survivor
#
# The outcomes:
#   killed     a test failed or timed out
#   argued     no test can detect it, for the given reason
#   skipped    only Miri detects it, and there is no nightly toolchain with Miri
#   SURVIVED   all tests passed; help: write a test that fails, or argue why there is none
#   STALE      the file does not contain the text exactly once; help: adapt the mutant to the changed code
#   BROKEN     it does not compile, or a test that it names does not exist or fails without it
#   REFUTED    argued to be undetectable, but a test detects it (with --argued)
# An outcome in capitals is a failure.
#
# Generated mutants complement these, which were chosen by reading the code:
#   cargo install cargo-mutants --locked
#   cargo mutants --file ecs-core/engine/src/entity/free_set.rs
set -uo pipefail

export ECS_WORLDS=all PROPTEST_CASES=256

# Seconds until a test times out.
limit=${MUTANTS_TIMEOUT:-600}

# One entry per mutant; `tests` are lines, `whys` the arguments.
names=() files=() olds=() news=() tests=() whys=()

read_list() {
    local line number=0 open=no last
    while IFS= read -r line || [[ -n $line ]]; do
        number=$((number + 1))
        last=$((${#names[@]} - 1))
        case $line in
            '#'*) continue ;;
            '') open=no ;;
            'mutant: '*)
                names+=("${line#*: }") files+=('') olds+=('') news+=('') tests+=('') whys+=('')
                open=yes
                continue
                ;;
        esac
        [[ -z $line ]] && continue
        [[ $open == yes ]] || { echo "mutants.txt:$number: expected \`mutant: name\` first" >&2; exit 2; }
        case $line in
            'file: '*) files[last]=${line#*: } ;;
            'test: '*) tests[last]+=${line#*: }$'\n' ;;
            'argued: '*) whys[last]=${line#*: } ;;
            '- '*) olds[last]+=${olds[last]:+$'\n'}${line#- } ;;
            '+ '*) news[last]+=${news[last]:+$'\n'}${line#+ } ;;
            '+') ;;
            *) echo "mutants.txt:$number: unknown line \`$line\`" >&2; exit 2 ;;
        esac
    done <"$root/tests/mutants.txt"
}

is_chosen() { # mutant
    local filter
    [[ ${#filters[@]} == 0 ]] && return 0
    for filter in "${filters[@]}"; do [[ ${names[$1]} == *"$filter"* || ${files[$1]} == *"$filter"* ]] && return 0; done
    return 1
}

# Prints a file with the only occurrence of a text replaced. Returns 1 if there is none, 2 if there are several.
replace() { # file, old, new
    LC_ALL=C OLD=$2 NEW=$3 awk '
        { text = text $0 "\n" }
        END {
            old = ENVIRON["OLD"]
            at = index(text, old)
            if (!at) exit 1
            rest = substr(text, at + length(old))
            if (index(rest, old)) exit 2
            printf "%s%s%s", substr(text, 1, at - 1), ENVIRON["NEW"], rest
        }' "$1"
}

# Sets `fault` to the reason why a mutant cannot be tried, if there is one.
find_fault() { # mutant
    local path=${files[$1]} old=${olds[$1]}
    fault=''
    if [[ -z $old || ! -f $path ]]; then
        fault='no such file, or no text'
    elif [[ $old == "${news[$1]}" || -z ${tests[$1]}${whys[$1]} ]]; then
        fault='no difference, or neither test nor argument'
    else
        replace "$path" "$old" '' >/dev/null
        case $? in
            1) fault="${files[$1]} does not contain it" ;;
            2) fault="${files[$1]} contains it more than once" ;;
        esac
    fi
}

# Copies changed files only, so that cargo sees the old times of all others.
copy_tree() {
    local file
    mkdir -p "$copy" "$logs"
    while IFS= read -r -d '' file; do
        [[ -f $file ]] || continue
        # Doc tests do not run, so their dependency need not be compiled, unless a package has other tests.
        sed "$([[ $file == ecs-core/*/Cargo.toml && ! -d ${file%/*}/tests ]] && echo '/^ecs-core = /d')" "$file" >"$logs/file"
        cmp -s "$logs/file" "$copy/$file" && continue
        mkdir -p "$(dirname "$copy/$file")"
        cp "$logs/file" "$copy/$file"
    done < <(git ls-files -z --cached --others --exclude-standard)
    while IFS= read -r -d '' file; do
        [[ -f $root/$file ]] || rm -f "$copy/$file"
    done < <(cd "$copy" && find . -name target -prune -o -type f -print0)
}

# Returns whether the tools that a test needs are installed.
is_possible() { # line of `test:`
    [[ $1 == miri* ]] || return 0
    [[ -n ${miri:-} ]] || { cargo +nightly miri --version >/dev/null 2>&1 && miri=yes || miri=no; }
    [[ $miri == yes ]]
}

# Runs a test in the copy. Returns 0 if it passed, 1 if it failed, 2 if it does not compile, 3 if there is no such test.
run() { # log, line of `test:`
    local words build filter
    read -ra words <<<"$2"
    build=(test -q -p ecs-engine --lib) filter=("${words[@]:1}")
    case ${words[0]} in
        lib) ;;
        lib:*) build=(test -q -p "ecs-${words[0]#lib:}" --lib) ;;
        miri) build=(+nightly miri "${build[@]}") ;;
        threads) build=(test -q -p ecs-thread-models --test models) ;;
        in) build=(test -q -p "ecs-${words[1]}" --test "${words[2]}") filter=("${words[@]:3}") ;;
        at) build=(test -q -p ecs-tests --test "${words[1]}") filter=("${words[@]:2}") ;;
        *) return 3 ;;
    esac
    cargo "${build[@]}" --no-run >"$1" 2>&1 || return 2
    (
        # Limits the memory of runaway mutants. Miri is exempt, because it reserves much address space.
        [[ ${words[0]} == miri ]] || ulimit -v 16000000
        timeout "$limit" cargo "${build[@]}" -- "${filter[@]}"
    ) >>"$1" 2>&1 || return 1
    grep -qE '^test result: ok\. [1-9]' "$1" || return 3
}

# All tests except those of compile errors, which take long and do not depend on mutants.
run_all() {
    local targets=() file
    for file in tests/tests/*.rs tests/tests/*/main.rs; do
        file=${file#tests/tests/} file=${file%/main.rs} file=${file%.rs}
        case $file in ui*) ;; *) targets+=(--test "$file") ;; esac
    done
    local package packages=()
    for package in ecs-core/*/Cargo.toml; do
        package=${package#ecs-core/} packages+=(-p "ecs-${package%/Cargo.toml}")
    done
    timeout "$((limit * 6))" cargo test -q "${packages[@]}" --tests &&
        timeout "$((limit * 6))" cargo test -q -p ecs-tests "${targets[@]}"
}

# Tries a mutant. Sets `outcome`, and `fault` to the test or reason behind it.
try() { # mutant
    local path=${files[$1]} log=$logs/${names[$1]//[^A-Za-z0-9]/-} test asked=no
    outcome=SURVIVED fault=''
    replace "$path" "${olds[$1]}" "${news[$1]}" >"$copy/$path"
    while IFS= read -r test; do
        is_possible "$test" || continue
        asked=yes
        (cd "$copy" && run "$log" "$test")
        case $? in
            0) continue ;;
            1) outcome=killed fault=$test ;;
            2) outcome=BROKEN fault="it does not compile: ${log#"$root"/}" ;;
            *) outcome=BROKEN fault="no test \`$test\`" ;;
        esac
        break
    done <<<"${tests[$1]%$'\n'}"
    if [[ $asked == no && -n ${tests[$1]} ]]; then
        outcome=skipped
    elif [[ $outcome == SURVIVED && $narrow == no ]]; then
        (cd "$copy" && run_all >"$log" 2>&1) || outcome=killed fault='none of the tests that it names'
    fi
    # Not restored with its old time, so that cargo sees a change.
    cp "$root/$path" "$copy/$path"
}

declare -A count=()
is_bad=0
say() { # outcome, mutant, why
    count[$1]=$((${count[$1]:-0} + 1))
    printf '%-8s  %s%s\n' "$1" "${names[$2]}" "${3:+ ($3)}"
    [[ $1 == [A-Z]* ]] && is_bad=1
}

main() {
    cd "$(dirname "$0")/.." || exit
    root=$PWD copy=$PWD/target/mutants/tree logs=$PWD/target/mutants/log
    export CARGO_TARGET_DIR=$root/target/mutants/build CARGO_TERM_COLOR=never RUST_BACKTRACE=0
    export CARGO_PROFILE_DEV_DEBUG=0 MIRIFLAGS="-Zmiri-strict-provenance ${MIRIFLAGS:-}"
    local word mode=run argued=no open=() mutant test outcome fault
    narrow=no filters=()
    for word in "$@"; do
        case $word in
            --list | --check) mode=${word#--} ;;
            --argued) argued=yes ;;
            --narrow) narrow=yes ;;
            -*) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2 ;;
            *) filters+=("$word") ;;
        esac
    done
    read_list
    for mutant in "${!names[@]}"; do
        is_chosen "$mutant" || continue
        [[ $mode == list ]] && { echo "${files[mutant]}: ${names[mutant]}"; continue; }
        find_fault "$mutant"
        if [[ -n $fault ]]; then
            say STALE "$mutant" "$fault"
        elif [[ $mode == check ]]; then
            count[there]=$((${count[there]:-0} + 1))
        elif [[ -n ${whys[mutant]} && $argued == no ]]; then
            say argued "$mutant"
        else
            open+=("$mutant")
        fi
    done
    if [[ ${#open[@]} != 0 ]]; then
        copy_tree
        # A test that fails without a mutant would seem to kill all of them.
        while IFS= read -r test; do
            is_possible "$test" || continue
            (cd "$copy" && run "$logs/sound" "$test") && continue
            echo "\`$test\` fails without a mutant, or does not exist: ${logs#"$root"/}/sound" >&2
            exit 1
        done < <(for mutant in "${open[@]}"; do printf %s "${tests[mutant]}"; done | sort -u)
        for mutant in "${open[@]}"; do
            try "$mutant"
            if [[ -n ${whys[mutant]} ]]; then
                case $outcome in SURVIVED) outcome=argued ;; killed) outcome=REFUTED ;; esac
            fi
            say "$outcome" "$mutant" "$fault"
        done
    fi
    if [[ $mode != list ]]; then
        for word in "${!count[@]}"; do echo "${count[$word]} $word"; done | sort -rn
    fi
    exit "$is_bad"
}

main "$@"
