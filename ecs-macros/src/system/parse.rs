//! The original function under `#[system]`, and its forms for parameters with `#[cfg]`.
//!
//! Not parsed by syn's parser of functions: patterns and the body stay tokens, so that a function with an unfinished body
//! still has a parsed signature, and syn compiles faster without its feature `full`.

use crate::attributes::{self, allow_expected, condition, doc, predicates};
use crate::prelude::*;
use crate::types::{strip, typed_pattern};

#[derive(Clone)]
pub(super) struct Function {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    /// `const`, `async`, `unsafe`, `extern "C"`.
    pub(super) qualifiers: Vec<TokenTree>,
    pub(super) fn_token: Token![fn],
    pub(super) ident: Ident,
    /// The generics, with the where clause.
    pub(super) generics: Generics,
    pub(super) inputs: Vec<Input>,
    /// The span of the parentheses around them; the compiler suggests a return type after it.
    pub(super) parentheses: Span,
    /// A hash of the types of all parameters, including those removed by a `#[cfg]`.
    pub(super) hash: u16,
    pub(super) output: ReturnType,
    /// The body, in braces.
    pub(super) body: Group,
}

/// A parameter as written.
#[derive(Clone)]
pub(super) struct Input {
    pub(super) attrs: Vec<Attribute>,
    /// The documentation, which a function does not allow on a parameter.
    pub(super) docs: String,
    pub(super) pattern: TokenList,
    /// The type; `self` may lack one.
    pub(super) ty: Option<Type>,
    /// The type as text.
    pub(super) text: String,
}

impl Function {
    pub(super) fn receiver(&self) -> Option<&TokenList> {
        let mut patterns = self.inputs.iter().map(|input| &input.pattern);
        patterns.find(|pattern| is_self(pattern))
    }

    /// Returns whether the signature may contain a text: whether it has more than parameters, or one has the text in its type.
    pub(super) fn may_contain(&self, text: &str) -> bool {
        self.returned().is_some()
            || !self.generics.params.is_empty()
            || self.generics.where_clause.is_some()
            || self.inputs.iter().any(|input| input.text.contains(text))
    }

    /// Returns the first `Self` in the signature.
    pub(super) fn self_type(&self) -> Option<TokenStream> {
        if !self.may_contain("Self") {
            return None;
        }
        let types = self.inputs.iter().filter_map(|input| input.ty.as_ref());
        let (generics, output) = (&self.generics, &self.output);
        let clause = &generics.where_clause;
        let mut found = None;
        any(quote!(#(#types)* #output #generics #clause), &mut |token| {
            found = is_word(token, "Self").then(|| token.to_token_stream());
            found.is_some()
        });
        found
    }

    pub(super) fn returned(&self) -> Option<&Type> {
        match &self.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(ty),
        }
    }

    /// Returns whether the function returns no value: its return type is `()` or `!`.
    pub(super) fn returns_unit(&self) -> bool {
        self.returned().is_none_or(|ty| match strip(ty) {
            Type::Tuple(tuple) => tuple.elems.is_empty(),
            _ => self.returns_never(),
        })
    }

    pub(super) fn returns_never(&self) -> bool {
        let never = self.returned().map(strip);
        matches!(never, Some(Type::Never(_)))
    }
}

fn is_self(pattern: &TokenList) -> bool {
    pattern.0.iter().any(|token| is_word(token, "self"))
}

pub(super) fn function(input: ParseStream<'_>) -> Result<Function> {
    let mut attrs = input.call(Attribute::parse_outer)?;
    allow_expected(&mut attrs);
    let vis: Visibility = input.parse()?;
    let qualifiers = qualifiers(input)?;
    let fn_token = input.parse()?;
    let ident = input.call(Ident::parse_any)?;
    let mut generics: Generics = input.parse()?;
    let content;
    let parentheses = parenthesized!(content in input).span.join();
    let inputs = content.call(inputs)?;
    let output = input.parse()?;
    generics.where_clause = input.parse()?;
    let body = match input.parse()? {
        TokenTree::Group(body) => body,
        other => {
            fail!(at other.span() =>
                "a system must have a body\nhelp: write `#[system]` on a function, not on its declaration in a trait or `extern` block")
        }
    };
    Ok(Function {
        attrs,
        vis,
        qualifiers,
        fn_token,
        hash: hash(&ident, &inputs),
        ident,
        generics,
        inputs,
        parentheses,
        output,
        body,
    })
}

/// Distinguishes hidden types of functions with similar names, and of the same function under two conditions.
fn hash(name: &Ident, inputs: &[Input]) -> u16 {
    let add = |hash: u16, byte| hash.rotate_left(5) ^ u16::from(byte);
    let mut hash = name.to_string().bytes().fold(0, add);
    for input in inputs {
        hash = input.text.bytes().fold(hash, add);
    }
    hash
}

/// Parses the words before `fn`.
fn qualifiers(input: ParseStream<'_>) -> Result<Vec<TokenTree>> {
    const KNOWN: [&str; 5] = ["const", "async", "unsafe", "extern", "safe"];
    let start = input.fork();
    let mut qualifiers = Vec::new();
    while !input.peek(Token![fn]) {
        match input.parse()? {
            TokenTree::Ident(word) if KNOWN.iter().any(|known| word == known) => {
                qualifiers.push(word.into());
            }
            TokenTree::Literal(abi) if !qualifiers.is_empty() => qualifiers.push(abi.into()),
            _ => return Err(not_a_function(&start)),
        }
    }
    Ok(qualifiers)
}

fn not_a_function(item: ParseStream<'_>) -> syn::Error {
    let Ok(word) = item.call(Ident::parse_any) else {
        return item.error("expected a function after `#[system]`");
    };
    let help = match word.to_string().as_str() {
        "struct" | "enum" | "union" => DERIVES,
        "impl" | "trait" => BLOCKS,
        _ => "",
    };
    wrong!(at word.span() => "expected a function after `#[system]`, found `{word}`{help}")
}

const DERIVES: &str = "\nhelp: declare data with `#[derive(Component)]` or `#[derive(Resource)]`";
const BLOCKS: &str = "\nhelp: write `#[systems]` on an `impl`, and `#[system]` on its functions";

fn inputs(content: ParseStream<'_>) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    while !content.is_empty() {
        inputs.push(input(content)?);
        // The compiler has reported a missing one.
        content.parse::<Option<Token![,]>>()?;
    }
    Ok(inputs)
}

fn input(content: ParseStream<'_>) -> Result<Input> {
    let mut docs = String::new();
    let mut attrs = content.call(Attribute::parse_outer)?;
    attrs.retain(|attribute| {
        let line = doc(attribute);
        docs.extend(line.clone());
        line.is_none()
    });
    let (pattern, ty) = typed_pattern(content, |content| content.peek(Token![,]))?;
    if ty.is_none() && !is_self(&pattern) {
        fail!(pattern => "expected `name: Type`");
    }
    Ok(Input {
        attrs,
        docs,
        pattern,
        text: pretty::line(&ty),
        ty,
    })
}

/// Returns a function whose parameters have `#[cfg]` once for each combination of them, each with its own `#[cfg]`: the first
/// one has all parameters.
pub(super) fn combinations(function: &Function) -> Vec<Function> {
    let conditions = function.inputs.iter();
    let conditions = to_vec(conditions.filter_map(|input| condition(&input.attrs)));
    let all = attributes::combinations(&conditions).into_iter();
    to_vec(all.map(|(holding, cfgs)| {
        let mut function = function.clone();
        let holds = |condition: TokenStream| holding.contains(&condition.to_string());
        (function.inputs).retain(|input| condition(&input.attrs).is_none_or(holds));
        for input in &mut function.inputs {
            (input.attrs).retain(|attribute| predicates(attribute).is_empty());
        }
        function.attrs.extend(cfgs);
        function
    }))
}
