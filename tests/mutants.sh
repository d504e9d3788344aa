#!/usr/bin/env bash
# Breaks the engine on purpose, one line at a time, and runs the tests: do they notice?
#
#   tests/mutants.sh [--list | --check] [--argued] [--narrow] [filter..]
#
# The mutants stand in `mutants.txt`, with how to write one. Without a filter all of them are tried, else those whose name or
# file contains one of the filters. The tree, with what is not committed, is copied to `target/mutants`; nothing else is written.
# All of them take hours, a single one about a minute.
#
#   --list    names them
#   --check   only checks that each text that is replaced is there exactly once
#   --argued  also tries those of which it is argued that no test can notice
#   --narrow  runs only the tests that a mutant names, and not all others before it counts as a survivor
#
# Each mutant is said to be
#   killed     a test failed, or did not end
#   argued     no test can notice it, for the reason that is given there
#   SURVIVED   all tests passed: write one that does not, or argue
#   STALE      the text is not there exactly once: the code has changed, and the mutant has to follow
#   skipped    it shows in Miri alone, and there is no nightly toolchain with it
#   BROKEN     it does not compile, or a test that it names does not exist or fails without it
#   REFUTED    it is argued that no test can notice it, and one does (with --argued)
# The script fails if there is one in capitals.
#
# Mutants that are made by a program complement these, which are chosen by reading:
#   cargo install cargo-mutants --locked
#   cargo mutants --package ecs-engine --jobs 1 --file ecs-core/engine/src/borrow.rs
# What it skips, and why, is in `.cargo/mutants.toml`.
set -uo pipefail
cd "$(dirname "$0")/.."
root=$PWD
list=$root/tests/mutants.txt
sources=ecs-core/engine/src
copy=$root/target/mutants/tree
export CARGO_TARGET_DIR=$root/target/mutants/build CARGO_TERM_COLOR=never RUST_BACKTRACE=0
# Nothing is debugged in there, and symbols are most of what is written.
export CARGO_PROFILE_DEV_DEBUG=0
# Seconds until tests count as endless; they may have to be compiled first.
limit=${MUTANTS_TIMEOUT:-600}

mode=run argued=no narrow=no filters=()
for word in "$@"; do
    case $word in
        --list | --check) mode=${word#--} ;;
        --argued) argued=yes ;;
        --narrow) narrow=yes ;;
        -*) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2 ;;
        *) filters+=("$word") ;;
    esac
done

bad=0
declare -A count=()
verdict() { # what, name, why
    count[$1]=$((${count[$1]:-0} + 1))
    printf '%-8s  %s%s\n' "$1" "$2" "${3:+ ($3)}"
    case $1 in [A-Z]*) bad=1 ;; esac
}

chosen() { # name, file
    [[ ${#filters[@]} == 0 ]] && return 0
    local filter
    for filter in "${filters[@]}"; do [[ $1 == *"$filter"* || $2 == *"$filter"* ]] && return 0; done
    return 1
}

# The text of a file, to its last byte, in `text`.
content() {
    text=$(cat "$1" && printf .)
    text=${text%.}
}

# Copies what has changed, and leaves times alone where nothing has: cargo goes by them.
sync_copy() {
    local file
    while IFS= read -r -d '' file; do
        [[ -f $file ]] || continue
        cmp -s "$file" "$copy/$file" && continue
        mkdir -p "$(dirname "$copy/$file")"
        cp "$file" "$copy/$file"
    done < <(git ls-files -z --cached --others --exclude-standard)
    while IFS= read -r -d '' file; do
        [[ -f $root/$file ]] || rm -f "$copy/$file"
    done < <(cd "$copy" && find . -name target -prune -o -type f -print0)
}

# The command of a `test:` line, in `command`.
command_of() { # kind, rest..
    local kind=$1
    shift
    case $kind in
        lib) command=(cargo test -q -p ecs-engine --lib -- "$@") ;;
        at) command=(cargo test -q -p ecs-tests --test "$1" -- "${@:2}") ;;
        threads) command=(cargo test -q -p ecs-thread-models --test models -- "$@") ;;
        miri) command=(cargo +nightly miri test -q -p ecs-engine --lib -- "$@") ;;
        *) return 1 ;;
    esac
}

# All tests but those of what the compiler says, which take long and know no values.
wide() {
    local targets=() file
    for file in tests/tests/*.rs tests/tests/*/main.rs; do
        file=${file#tests/tests/} file=${file%/main.rs} file=${file%.rs}
        case $file in ui*) ;; *) targets+=(--test "$file") ;; esac
    done
    timeout "$((limit * 6))" cargo test -q -p ecs-engine --lib &&
        timeout "$((limit * 6))" cargo test -q -p ecs-tests "${targets[@]}"
}

# Whether there is what a `test:` line needs.
miri=''
is_possible() { # line of `test:`
    [[ $1 == miri* ]] || return 0
    [[ -n $miri ]] || { cargo +nightly miri --version >/dev/null 2>&1 && miri=yes || miri=no; }
    [[ $miri == yes ]]
}

# Runs a test of the copy: 0 if it passed, 1 if it failed, 2 if it does not compile, 3 if there is none.
passes() { # log, line of `test:`
    local words command status kind=${2%% *}
    read -ra words <<<"$2"
    command_of "${words[@]}" || return 3
    local at
    for ((at = 0; at < ${#command[@]}; at++)); do [[ ${command[at]} == -- ]] && break; done
    "${command[@]:0:at}" --no-run >"$1" 2>&1 || return 2
    # What runs wild is not to take the machine with it.
    (
        [[ $kind == miri ]] || ulimit -v 16000000
        timeout "$limit" "${command[@]}"
    ) >>"$1" 2>&1
    status=$?
    [[ $status == 0 ]] || return 1
    grep -qE '^test result: ok\. [1-9]' "$1" || return 3
}

# Whether a test passes as long as nothing is broken; looked at once.
declare -A sound=()
is_sound() { # line of `test:`
    if [[ -z ${sound[$1]:-} ]]; then
        (cd "$copy" && passes "$root/target/mutants/log/sound.log" "$1") && sound[$1]=yes || sound[$1]=no
    fi
    [[ ${sound[$1]} == yes ]]
}

try() { # name, path of the file in the tree, mutated text, tests..
    local name=$1 path=$2 mutated=$3 log status test
    shift 3
    local all=("$@") tests=()
    for test in "${all[@]}"; do is_possible "$test" && tests+=("$test"); done
    if [[ ${#all[@]} != 0 && ${#tests[@]} == 0 ]]; then
        outcome=skipped why=${all[*]}
        return
    fi
    set -- ${tests[@]+"${tests[@]}"}
    log=$root/target/mutants/log/${name//[^A-Za-z0-9]/-}.log
    for test in "$@"; do
        is_sound "$test" && continue
        outcome=BROKEN why="no test \`$test\`, or it fails as it is"
        return
    done
    printf %s "$mutated" >"$copy/$path"
    outcome=SURVIVED why=''
    for test in "$@"; do
        (cd "$copy" && passes "$log" "$test")
        status=$?
        case $status in
            0) continue ;;
            2) outcome=BROKEN why="it does not compile, see ${log#"$root"/}" ;;
            *) outcome=killed why=$test ;;
        esac
        break
    done
    if [[ $outcome == SURVIVED && $narrow == no ]]; then
        (cd "$copy" && wide >"$log" 2>&1) || outcome=killed why='by none of those that it names'
    fi
    # Now, and not when it was written: cargo has to see that it is another one again.
    cp "$root/$path" "$copy/$path"
}

mutant() {
    [[ -z $name ]] && return
    chosen "$name" "$file" || return
    [[ $mode == list ]] && { printf '%s: %s\n' "$file" "$name"; return; }
    local path=$sources/$file text rest
    [[ -f $path && -n $old ]] || { verdict STALE "$name" "no such file, or no text"; return; }
    content "$path"
    rest=${text#*"$old"}
    if [[ $rest == "$text" ]]; then
        verdict STALE "$name" "$file does not contain it"
    elif [[ ${rest#*"$old"} != "$rest" ]]; then
        verdict STALE "$name" "$file contains it more than once"
    elif [[ $old == "$new" || (-z $reason && ${#tests[@]} == 0) ]]; then
        verdict BROKEN "$name" "neither test nor argument, or no difference"
    elif [[ $mode == check ]]; then
        count[there]=$((${count[there]:-0} + 1))
    elif [[ -n $reason && $argued == no ]]; then
        verdict argued "$name"
    else
        try "$name" "$path" "${text%%"$old"*}$new$rest" ${tests[@]+"${tests[@]}"}
        if [[ -n $reason ]]; then
            case $outcome in SURVIVED) outcome=argued ;; killed) outcome=REFUTED ;; esac
        fi
        verdict "$outcome" "$name" "$why"
    fi
}

if [[ $mode == run ]]; then
    mkdir -p "$copy" "$root/target/mutants/log"
    sync_copy
fi

name='' file='' old='' new='' reason='' tests=()
number=0
while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    case $line in
        '#'*) ;;
        '')
            mutant
            name='' file='' old='' new='' reason='' tests=()
            ;;
        'mutant: '*) name=${line#*: } ;;
        'file: '*) file=${line#*: } ;;
        'test: '*) tests+=("${line#*: }") ;;
        'argued: '* | '  '*) reason+=${line#*: } ;;
        '- '*) old+=${old:+$'\n'}${line#- } ;;
        '+') ;;
        '+ '*) new+=${new:+$'\n'}${line#+ } ;;
        *) echo "mutants.txt:$number: what is \`$line\`?" >&2; exit 2 ;;
    esac
done <"$list"
mutant

if [[ $mode != list ]]; then
    for what in "${!count[@]}"; do printf '%s %s\n' "${count[$what]}" "$what"; done | sort -rn
fi
exit "$bad"
