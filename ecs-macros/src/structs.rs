//! The common part of the derives for structs of parameters, of query data, of filters and of bundles.
//!
//! A field whose type lacks the trait is one error, at the type. [`Struct::checked`] names the types as the user wrote
//! them. All other code names their [`fitting`](Struct::fitting) types, which always have the trait.

use crate::bounds;
use crate::derive::Derived;
use crate::options::Table;
use crate::parameters::{is_world_parameter, lifetime_of};
use crate::prelude::*;
use crate::system::{place, shape};
use crate::types;
use crate::written::Compared;

/// A derive for structs, and the trait that the types of the fields need.
pub(crate) struct StructKind {
    /// The trait.
    pub(crate) of: &'static str,
    pub(crate) attribute: &'static str,
    /// The constant of `Probe` that tells whether a type has the trait.
    pub(crate) probe: &'static str,
    /// A type that has the trait, if `()` does not.
    pub(crate) otherwise: Option<&'static str>,
    /// The help for an enum or a union.
    pub(crate) help: &'static str,
    pub(crate) options: Table,
}

/// A struct with a derive, checked. A struct with errors has no fields, and gets impls that never run.
pub(crate) struct Struct {
    pub(crate) kind: &'static StructKind,
    pub(crate) derived: Derived,
    pub(crate) fields: Vec<FieldModel>,
    pub(crate) is_broken: bool,
    /// The generics of impls.
    pub(crate) bounded: Generics,
}

pub(crate) struct FieldModel {
    pub(crate) member: Member,
    pub(crate) vis: Visibility,
    /// The type as written.
    pub(crate) ty: Type,
    /// The name of the value in generated code.
    pub(crate) binding: Ident,
}

impl FieldModel {
    /// Returns the field as text: `time: Res<'w, Time>`.
    pub(crate) fn text(&self) -> String {
        format!("{}: {}", self.label(), self.type_text())
    }

    /// Returns the name of the field as text, or its index.
    pub(crate) fn label(&self) -> String {
        self.member.to_token_stream().to_string()
    }

    fn type_text(&self) -> String {
        pretty::line(&self.ty)
    }

    /// Returns whether the type is a reference, or a parameter that is known by name, and lacks a declared lifetime.
    ///
    /// The compiler reports it, and would do so again for each impl that repeats the type.
    fn lacks_lifetime(&self, generics: &Generics) -> bool {
        let ty = self.ty.to_token_stream();
        lifetimes::elides(ty.clone())
            || is_world_parameter(&self.ty) && !lifetimes::mentions(&ty, &|_| true)
            || lifetimes::mentions(&ty, &|name| name == "_")
            || !lifetimes::undeclared(ty, &[generics]).is_empty()
    }

    /// Returns whether the field only mentions a generic parameter.
    pub(crate) fn is_phantom(&self) -> bool {
        types::is_named(&self.ty, "PhantomData")
    }
}

impl Struct {
    /// Parses a struct; an error if the type itself cannot be parsed.
    pub(crate) fn parse(input: TokenStream, kind: &'static StructKind) -> Result<Self> {
        let mut derived = Derived::parse(input, kind.attribute, kind.options)?;
        let fields = derived.fields(kind.of, kind.help);
        let all = fields.members().zip(&fields).enumerate();
        let fields = to_vec(all.map(|(index, (member, field))| FieldModel {
            member,
            vis: field.vis.clone(),
            ty: field.ty.clone(),
            binding: local(&format!("f{index}")),
        }));
        for field in &fields {
            bounds::check(&mut derived, kind.of, &field.ty);
        }
        reject_forever(&mut derived, kind, &fields);
        let mut bounded = derived.input.generics.clone();
        require_static(&mut bounded, kind);
        if let Some(GenericParam::Lifetime(last)) = derived.input.generics.params.last() {
            use_twice(&mut bounded, last);
        }
        if kind.of == "QueryData" {
            bound_static_forms(&mut bounded, &derived.private());
        }
        Ok(Self {
            kind,
            derived,
            fields,
            is_broken: false,
            bounded,
        })
    }

    /// Rejects fields whose type is a generic parameter: their value has a different type from the field. `fix` has `{}` for
    /// the parameter.
    pub(crate) fn reject_bare_parameters(&mut self, fix: &str) {
        for field in &self.fields {
            let ty = field.ty.to_token_stream().to_string();
            let mut params = self.derived.input.generics.type_params();
            if params.any(|param| param.ident == ty) {
                reject!(self.derived.errors, &field.ty =>
                    "a field cannot have the generic type `{ty}`, whose values are borrowed under another type\nhelp: write {}", fix.replace("{}", &ty));
            }
        }
    }

    /// Ends the checks: a struct with errors, including those that only the compiler reports, loses its fields.
    pub(crate) fn finish_checks(&mut self) {
        let generics = &self.derived.input.generics;
        let is_wrong =
            |field: &FieldModel| field.lacks_lifetime(generics) || shape::is_miscounted(&field.ty);
        self.is_broken = !self.derived.errors.is_empty() || self.fields.iter().any(is_wrong);
        if self.is_broken {
            self.fields.clear();
        }
    }

    /// Returns the fields that have a value in the world.
    pub(crate) fn borrowed(&self) -> Vec<&FieldModel> {
        to_vec(self.fields.iter().filter(|field| !field.is_phantom()))
    }

    pub(crate) fn private(&self) -> TokenList {
        self.derived.root.private(site())
    }

    fn generics(&self) -> &Generics {
        &self.derived.input.generics
    }

    /// Returns `<Type as Trait>::item` with the struct's lifetimes as `'static`, at the place of the type: the compiler
    /// reports a type without the trait there.
    ///
    /// Use it in only one item of the expansion, because each use is an error.
    pub(crate) fn checked(&self, field: &FieldModel, item: &str) -> TokenStream {
        let root = &self.derived.root;
        let ty = self.item_data(field).unwrap_or(&field.ty);
        // By their places: otherwise the compiler suggests a `&` without the lifetime, or points at the whole field.
        let marked = place::marked(ty.clone(), self.kind.of, root, self.generics());
        let marked = lifetimes::replace(marked, self.generics(), "static");
        root.item_of(&marked, ends(ty), self.kind.of, item)
    }

    /// Returns the type of the field, or its query data, with the struct's lifetimes as `'static`.
    pub(crate) fn forever_type(&self, field: &FieldModel) -> TokenStream {
        let ty = self.item_data(field).unwrap_or(&field.ty);
        lifetimes::replace(ty, self.generics(), "static")
    }

    /// Returns the type of the field, or, if that lacks the trait, one that has it; the struct's lifetimes are as written.
    ///
    /// A constant that asks for the trait cannot name type parameters, so types with these stay as they are. The trait
    /// `Unknown` has to be in scope.
    pub(crate) fn fitting(&self, field: &FieldModel) -> TokenStream {
        self.fitting_or(field, TokenStream::new())
    }

    /// Does the same; `import` has the trait for a place without it in scope.
    pub(crate) fn fitting_or(&self, field: &FieldModel, import: TokenStream) -> TokenStream {
        let (ty, (first, last)) = (&field.ty, ends(&field.ty));
        if let Some(data) = self.item_data(field) {
            return data.to_token_stream();
        }
        if self.derived.mentions_parameters(ty.to_token_stream()) {
            return ty.to_token_stream();
        }
        let forever = lifetimes::replace(ty, self.generics(), "static");
        let private = self.private();
        let probe = hidden(self.kind.probe);
        let otherwise = match self.kind.otherwise.map(|name| Ident::new(name, last)) {
            Some(name) => quote_spanned!(last=> #private::#name),
            None => quote_spanned!(last=> ()),
        };
        let is = quote!({ #import #private::Probe::<#forever>::#probe });
        let at = self.derived.root.private(first);
        let open = quote_spanned!(first=> #at::Fitting);
        quote_spanned!(last=> #open<#ty, #otherwise, #is>)
    }

    /// Returns the `D` of a field `Item<'a, D>`, if `D` is a parameter of the struct that is query data.
    pub(crate) fn item_data<'a>(&self, field: &'a FieldModel) -> Option<&'a Type> {
        let [data] = types::inside(&field.ty)[..] else {
            return None;
        };
        let is_data = |name: &Ident| bounds::is_data(self.generics(), name);
        let is_item = self.kind.of == "QueryData" && types::is_named(&field.ty, "Item");
        (is_item && names(data, &is_data)).then_some(data)
    }

    /// Returns the [fitting](Self::fitting) type with the struct's lifetimes as `'lifetime`.
    pub(crate) fn fitting_in(&self, field: &FieldModel, lifetime: &str) -> TokenStream {
        lifetimes::replace(self.fitting(field), self.generics(), lifetime)
    }

    /// Returns `<Type as SharedParam>::get_shared` for an item of the lifetime `'__g`, at the place of the type.
    ///
    /// The compiler shows the lifetime: it is `'static` if that makes no difference.
    pub(crate) fn shared(&self, field: &FieldModel) -> TokenStream {
        let lifetimes = field.type_text().matches('\'').count();
        let ty = self.fitting_in(field, if lifetimes == 1 { "static" } else { "__g" });
        let root = &self.derived.root;
        root.item_of(&ty, ends(&field.ty), "SharedParam", "get_shared")
    }

    /// Returns `value`, which has the fitting type of a field, converted to the field's own type. `fit` is the function,
    /// which differs for `&mut`.
    pub(crate) fn fitted(&self, ty: &TokenStream, fit: &str, value: &Ident) -> TokenStream {
        let (private, fit) = (self.private(), hidden(fit));
        quote!(#private::Fit::<#ty, _>::new(#value).#fit())
    }

    /// Returns the struct `name` with these values of its fields.
    pub(crate) fn made(&self, name: &Ident, values: &[TokenStream]) -> TokenStream {
        match self.fields.first().map(|field| &field.member) {
            Some(Member::Unnamed(_)) => quote!(#name(#(#values),*)),
            _ => {
                let members = self.fields.iter().map(|field| &field.member);
                quote!(#name { #(#members: #values),* })
            }
        }
    }

    /// Returns the type of the field with the struct's lifetimes as `'lifetime`.
    pub(crate) fn type_in(&self, field: &FieldModel, lifetime: &str) -> TokenStream {
        lifetimes::replace(&field.ty, self.generics(), lifetime)
    }

    /// Returns a trait that names the list of the fields' types, and its impl.
    ///
    /// The trait is declared beside its use, because a field may have a private type. Generated functions with type
    /// parameters name the types of fields by it: a macro cannot protect the names in a user's type from the type
    /// parameters of a generated function. `more` are other items of the impl, declared as the second of the pair.
    pub(crate) fn list(
        &self,
        list: &TokenStream,
        (declared, more): (TokenStream, TokenStream),
    ) -> TokenStream {
        let (generics, own, bounds) = self.header();
        quote! {
            trait __Fields { type List; #declared }

            impl #generics __Fields for #own #bounds { type List = #list; #more }
        }
    }

    /// Returns the struct's generics without lifetimes, for hidden types and impls that are `'static`: all lifetimes in
    /// bounds are `'static`.
    pub(crate) fn without_lifetimes(&self) -> Generics {
        let all = self.generics();
        let mut generics = all.clone();
        let is_lifetime = |param: &GenericParam| matches!(param, GenericParam::Lifetime(_));
        let params = all.params.iter().filter(|param| !is_lifetime(param));
        generics.params = params.cloned().collect();
        let forever = |tokens| lifetimes::replace(tokens, all, "static");
        let mut generics = types::map_generics(generics, &forever);
        require_static(&mut generics, self.kind);
        generics
    }

    /// Returns the statements of a constant that fails at the first field that conflicts with an earlier one, or with
    /// itself. `access` returns the access of a field.
    pub(crate) fn conflicts(&self, access: &dyn Fn(&FieldModel) -> TokenStream) -> TokenStream {
        let (fields, private) = (self.borrowed(), self.private());
        if fields.is_empty() {
            return TokenStream::new();
        }
        let all = local("fields");
        let of_query = hidden(&(self.kind.of == "QueryData").to_string());
        let name = text(&self.derived.input.ident.unraw().to_string());
        let infos = fields.iter().map(|field| {
            let (label, ty) = (text(&field.label()), text(&field.type_text()));
            let access = access(field);
            quote!(#private::ParamInfo::new(#label, #ty, #access))
        });
        let compared = to_vec(fields.iter().map(|field| {
            Compared::of(&field.ty, self.kind.of, self.forever_type(field), &private)
        }));
        let checks = fields.iter().enumerate().map(|(index, field)| {
            let (first, last) = ends(&field.ty);
            let private = self.derived.root.private(first);
            let all = Ident::new("__fields", last.resolved_at(site()));
            let same = (0..=index).filter_map(|earlier| {
                let share = compared[earlier].share(&compared[index], &private, last)?;
                let earlier = number(earlier);
                Some(quote_spanned!(last=> (#earlier, #share)))
            });
            let same = to_vec(same.filter(|_| !self.derived.is_generic()));
            let index = number(index);
            quote_spanned!(last=> #private::refuse_field_conflict(#name, #of_query, &#all, #index, &[#(#same),*]);)
        });
        quote!(let #all = [#(#infos),*]; #(#checks)*)
    }

    /// Returns the impl of the engine's trait `of` that names the list of the fields' types for the struct `own`.
    ///
    /// A condition may name a private type of a field, which the items of a public impl may not.
    pub(crate) fn named_fields(
        &self,
        of: &str,
        own: &TokenStream,
        generics: Generics,
    ) -> TokenStream {
        let (private, kind, of) = (self.private(), hidden(self.kind.of), hidden(of));
        let known = [
            quote!(Self: __Fields<List = __F>),
            quote!(__F: #private::#kind),
        ];
        let (params, bounds) = self.parts(generics, &["__F"], &known);
        quote!(impl #params #private::#of for #own #bounds { type Fields = __F; })
    }

    /// Returns the list before `__T` of the data that the query `__Q` accesses, for the struct `name` whose fields have the type
    /// `fields`, and the impl on which the list relies.
    pub(crate) fn data_list(&self, name: &Ident, fields: &TokenStream) -> [TokenStream; 2] {
        let (private, of) = (self.private(), hidden(self.kind.of));
        if self.is_private() {
            let list = quote!(<#fields as #private::#of>::List<__Q, __T>);
            return [list, TokenStream::new()];
        }
        let listed = quote!(#private::#of<List<__Q, #private::ListEnd> = __L>);
        let hides = self.hides(name, &quote!(#fields: #listed));
        [quote!(#private::HiddenList<Self, __Q, __T>), hides]
    }

    /// Returns whether all code that can name the struct can also name the types of its fields.
    pub(crate) fn is_private(&self) -> bool {
        matches!(self.derived.input.vis, Visibility::Inherited)
    }

    /// Returns the impl by which the struct `name` hides the list `__L` of its data, which this condition determines. The query
    /// `__Q` accesses them.
    pub(crate) fn hides(&self, name: &Ident, condition: &TokenStream) -> TokenStream {
        let private = self.private();
        let condition = [condition.clone(), quote!(__L: #private::DataList)];
        let (params, bounds) = self.parts(self.bounded.clone(), &["__Q", "__L"], &condition);
        let own = self.hidden(name);
        quote!(impl #params #private::HidesData<__Q> for #own #bounds { type Data = __L; })
    }

    /// Returns a constant that evaluates the accesses of the parameter `ty`, so that conflicts are rejected as far as that is
    /// possible without knowing the uses of the struct. No error if `ty` is not a parameter, which is reported elsewhere.
    pub(crate) fn force_access(&self, ty: &TokenStream) -> Option<TokenStream> {
        let private = self.private();
        let constant = quote!(const _: #private::ParamType = <#private::Probe<#ty>>::TYPE;);
        (!self.derived.is_generic()).then_some(constant)
    }

    /// Returns the struct `name` with the struct's own parameters, and its lifetimes as `'lifetime`.
    pub(crate) fn applied(&self, name: &Ident, lifetime: &str) -> TokenStream {
        let (_, arguments, _) = self.generics().split_for_impl();
        let arguments = lifetimes::replace(&arguments, self.generics(), lifetime);
        quote!(#name #arguments)
    }

    /// Returns the struct `name`, with `'static` for lifetimes and the `'static` form of parameters that are query data.
    pub(crate) fn forever(&self, name: &Ident) -> TokenStream {
        let (generics, private) = (self.generics(), self.private());
        let arguments = generics.params.iter().map(|param| match param {
            GenericParam::Lifetime(_) => quote!('static),
            GenericParam::Type(syn::TypeParam { ident, .. })
                if bounds::is_data(generics, ident) =>
            {
                quote!(<#ident as #private::QueryData>::Static)
            }
            GenericParam::Type(param) => param.ident.to_token_stream(),
            GenericParam::Const(param) => param.ident.to_token_stream(),
        });
        quote!(#name<#(#arguments),*>)
    }

    /// Returns the struct `name` with the struct's own parameters; its lifetimes are hidden from lints, because an impl
    /// names each once.
    pub(crate) fn hidden(&self, name: &Ident) -> TokenStream {
        let (_, arguments, _) = self.generics().split_for_impl();
        lifetimes::hide(quote!(#name #arguments), self.generics())
    }

    /// Returns the generics of an impl.
    ///
    /// For an unknown type among the arguments of another one, the compiler suggests a parameter behind the last one, unless
    /// it is between the `<` and the `>`. A field's type is an argument here, and may be none in the struct: so the generics
    /// surround the longest run of fields without arguments. The error is shown once if the impl's is like the struct's.
    pub(crate) fn parameters(&self, generics: &Generics) -> TokenStream {
        let has_arguments = |field: &FieldModel| {
            let is_argument = |ty: &Type| !types::inside(ty).is_empty();
            types::find(&field.ty, &is_argument).is_some()
        };
        let mut hidden = self.generics().clone();
        let is_mixed = self.fields.iter().any(has_arguments);
        if is_mixed {
            hidden.params.pop();
        }
        let mut tokens = TokenList::new(lifetimes::hide(types::parameters(generics), &hidden));
        let name = after(self.derived.input.ident.span());
        let runs = self.fields.split(has_arguments);
        let (first, last) = match runs.max_by_key(|run| run.len()) {
            Some(run @ [first, ..]) if !is_mixed || !generics.params.is_empty() => {
                let last = &run[run.len() - 1];
                (before(ends(&first.ty).0), after(ends(&last.ty).1))
            }
            _ => (name, name),
        };
        tokens.0[0].set_span(first);
        tokens.0.last_mut().unwrap().set_span(last);
        tokens.to_token_stream()
    }

    /// Returns the generics of an impl for the [`forever`](Self::forever) struct, with the last parameter of the struct, for the
    /// same reason.
    pub(crate) fn forever_generics(&self) -> Generics {
        let mut generics = self.without_lifetimes();
        if let Some(GenericParam::Lifetime(last)) = self.generics().params.last() {
            generics.params.push(GenericParam::Lifetime(last.clone()));
            use_twice(&mut generics, last);
        }
        generics
    }

    /// Returns the parameters and the where clause of an impl with these generics, more type parameters and more conditions,
    /// hidden from lints.
    pub(crate) fn parts(
        &self,
        mut generics: Generics,
        types: &[&str],
        conditions: &[TokenStream],
    ) -> (TokenStream, TokenStream) {
        let last = ends(&self.generics().params.last()).1;
        let types = types.iter();
        let types = types.map(|name| GenericParam::Type(hidden_at(name, after(last)).into()));
        generics.params.extend(types);
        conditions
            .iter()
            .for_each(|condition| require(&mut generics, condition));
        let bounds = lifetimes::hide(&generics.where_clause, self.generics());
        (self.parameters(&generics), bounds)
    }

    /// Returns the generics, the struct and the where clause of an impl for the struct, hidden from lints.
    pub(crate) fn header(&self) -> (TokenStream, TokenStream, TokenStream) {
        let (params, bounds) = self.parts(self.bounded.clone(), &[], &[]);
        (params, self.hidden(&self.derived.input.ident), bounds)
    }
}

/// Reports the first field that is borrowed for `'static`.
fn reject_forever(derived: &mut Derived, kind: &StructKind, fields: &[FieldModel]) {
    let of = |field: &FieldModel| match (kind.of, types::reference(&field.ty)) {
        ("QueryData", Some((reference, _))) => reference.lifetime.clone(),
        ("SystemParam", None) => {
            lifetime_of(types::optional(&field.ty).unwrap_or(&field.ty)).cloned()
        }
        _ => None,
    };
    let is_static = |lifetime: &Lifetime| lifetime.ident == "static";
    let all = fields.iter();
    let mut all = all.map(|field| (field, of(field).filter(is_static)));
    let Some((field, Some(at))) = all.find(|(_, at)| at.is_some()) else {
        return;
    };
    let generics = &derived.input.generics;
    let declared = generics.lifetimes().next();
    let name = declared.map_or("a".to_owned(), |param| param.lifetime.ident.to_string());
    let text = field.type_text();
    let right = text.replacen("'static", &format!("'{name}"), 1);
    let own = &derived.input.ident;
    let help = match (declared, generics.params.is_empty()) {
        (Some(_), _) => format!("write `{right}`"),
        (None, true) => format!("write `struct {own}<'{name}>` and `{right}`"),
        (None, false) => format!("write `struct {own}<'{name}, ..>` and `{right}`"),
    };
    reject!(derived.errors, at =>
        "a field is borrowed for one run, not for `'static`\nhelp: {help}");
}

/// Adds `T: 'static` for each type parameter: systems keep derived types. Query data has a form that is `'static`.
fn require_static(generics: &mut Generics, kind: &StructKind) {
    let own = generics.clone();
    for name in own.type_params().map(|param| &param.ident) {
        if kind.of != "QueryData" || !bounds::is_data(&own, name) {
            require(generics, &frame!(#name: 'static));
        }
    }
}

/// Uses a lifetime twice, as lints ask for.
fn use_twice(generics: &mut Generics, param: &LifetimeParam) {
    let name = &param.lifetime;
    require(generics, &frame!(#name: #name));
}

/// Adds a predicate, which lints attribute to the macro.
pub(crate) fn require(generics: &mut Generics, predicate: &TokenStream) {
    let predicates = &mut generics.make_where_clause().predicates;
    predicates.push(syn::parse_quote_spanned!(frame_site()=> #predicate));
}

/// Copies the bounds of each parameter that is query data to its `'static` form, except `QueryData` itself.
fn bound_static_forms(generics: &mut Generics, private: &TokenList) {
    let own = generics.clone();
    for name in own.type_params().map(|param| &param.ident) {
        let mut all = bounds::of(&own, name);
        all.retain(|bound| !bounds::is_named(bound, "QueryData"));
        if bounds::is_data(&own, name) && !all.is_empty() {
            let all = lifetimes::replace(quote!(#(#all)+*), &own, "static");
            let form = quote!(<#name as #private::QueryData>::Static);
            require(generics, &quote!(#form: #all));
        }
    }
}
