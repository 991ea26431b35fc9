//! Prints the GraphQL schema of the built-in model as SDL.

#![allow(clippy::print_stdout)]

fn main() -> Result<(), String> {
    let model = kontor_model::Model::embedded().map_err(|problems| problems.to_string())?;
    let started = std::time::Instant::now();
    let schema = kontor_graphql::Schema::derive(&model)?;
    eprintln!("derived in {:?}", started.elapsed());
    print!("{}", schema.sdl());
    Ok(())
}
