//! Which module names what: reads `use` trees and inline paths, and follows names to where they are
//! defined, through every re-export and alias on the way. Test code is left out.

use std::collections::{BTreeMap, BTreeSet};

/// A path from the root of the crate: `["game", "Mixer"]`.
pub type Path = Vec<String>;

/// The modules of a crate by their paths. The root's is empty.
pub struct Crate {
    modules: BTreeMap<Path, Module>,
}

#[derive(Default)]
struct Module {
    /// What is imported here, whoever may see it, by the name that it has here.
    imports: BTreeMap<String, Path>,
    /// The modules of which everything is imported here.
    globs: Vec<Path>,
    /// What is defined here.
    items: BTreeSet<String>,
    /// Every path that is written here and leads into the crate.
    named: Vec<Path>,
}

impl Crate {
    /// Reads sources by their paths below `src`.
    pub fn read<'a>(sources: impl IntoIterator<Item = (&'a str, &'a str)>) -> Crate {
        let (mut parsed, mut tests) = (Vec::new(), Vec::new());
        for (path, text) in sources {
            let mut reader = Reader { tokens: tokens(text), ..Reader::default() };
            reader.read(module_path(path));
            parsed.extend(reader.modules);
            tests.extend(reader.tests);
        }
        let is_test = |path: &Path| tests.iter().any(|test| path.starts_with(test));
        let modules: Vec<_> = parsed.into_iter().filter(|(path, _)| !is_test(path)).collect();
        let known: BTreeSet<Path> = modules.iter().map(|(path, _)| path.clone()).collect();
        let modules = modules.into_iter().map(|(path, raw)| {
            let module = raw.within(&path, &known);
            (path, module)
        });
        Crate { modules: modules.collect() }
    }

    pub fn module_count(&self) -> usize {
        self.modules.len()
    }

    /// Every path that a module names, by the module's own, as they are after every re-export on their
    /// way was followed. For a glob, all that it brings.
    pub fn named(&self) -> impl Iterator<Item = (&Path, Path)> {
        self.modules.iter().flat_map(move |(path, module)| {
            let globs = module.globs.iter().flat_map(move |glob| self.brought_by(glob));
            let named = module.named.iter().map(|named| self.definition(named));
            globs.chain(named).map(move |named| (path, named))
        })
    }

    fn brought_by(&self, glob: &Path) -> Vec<Path> {
        let from = self.definition(glob);
        let Some(module) = self.modules.get(&from) else { return vec![from] };
        let names = module.imports.keys().chain(&module.items);
        names.map(|name| self.definition(&join(&from, name))).collect()
    }

    /// Where a name is defined.
    pub fn definition(&self, path: &[String]) -> Path {
        let (mut at, mut rest) = (Path::new(), path.to_vec());
        // More re-exports than these are a circle.
        for _ in 0..100 {
            let Some(name) = rest.first().cloned() else { break };
            let inner = join(&at, &name);
            let Some(module) = self.modules.get(&at) else { break };
            let target = module.imports.get(&name).cloned().or_else(|| {
                let defines = |glob: &&Path| {
                    let from = self.definition(glob);
                    self.modules.get(&from).is_some_and(|it| it.has(&name))
                        || self.modules.contains_key(&join(&from, &name))
                };
                let is_own = module.items.contains(&name) || self.modules.contains_key(&inner);
                let glob = module.globs.iter().find(|glob| !is_own && defines(glob));
                glob.map(|glob| join(glob, &name))
            });
            rest.remove(0);
            match target {
                Some(target) if target != inner => {
                    at = Path::new();
                    rest.splice(0..0, target);
                }
                _ => at = inner,
            }
        }
        at.extend(rest);
        at
    }
}

impl Module {
    fn has(&self, name: &str) -> bool {
        self.items.contains(name) || self.imports.contains_key(name)
    }
}

/// `game/mixer.rs` is `game::mixer`, `game/mod.rs` is `game`, and `lib.rs` is the root.
fn module_path(file: &str) -> Path {
    let mut path: Path = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|last| last == "mod" || last == "lib") {
        path.pop();
    }
    path
}

fn join(path: &[String], name: &str) -> Path {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

/// A module as it was read: paths as they are written.
#[derive(Default)]
struct Raw {
    imports: Vec<(String, Path)>,
    globs: Vec<Path>,
    items: BTreeSet<String>,
    named: Vec<Path>,
}

impl Raw {
    /// The same with all paths from the root on. Those that lead out of the crate are left out.
    fn within(self, here: &Path, known: &BTreeSet<Path>) -> Module {
        let names: BTreeSet<String> = self.imports.iter().map(|(name, _)| name.clone()).collect();
        let absolute = |path: &Path| -> Option<Path> {
            let (first, rest) = path.split_first()?;
            let base = match first.as_str() {
                "crate" => Path::new(),
                "self" => here.clone(),
                "super" => here.split_last()?.1.to_vec(),
                name if names.contains(name)
                    || self.items.contains(name)
                    || known.contains(&join(here, name)) =>
                {
                    join(here, name)
                }
                _ => return None,
            };
            let mut path = base;
            for name in rest {
                match name.as_str() {
                    "super" => drop(path.pop()),
                    "self" => (),
                    name => path.push(name.to_owned()),
                }
            }
            Some(path)
        };
        let imported = self.imports.iter().filter_map(|(name, path)| {
            // `use log;` names the crate by its own name: it leads out.
            let itself = path.len() == 1 && path[0] == *name && !known.contains(&join(here, name));
            absolute(path).filter(|_| !itself).map(|path| (name.clone(), path))
        });
        let imports: BTreeMap<_, _> = imported.collect();
        let globs: Vec<_> = self.globs.iter().filter_map(absolute).collect();
        let named = self.named.iter().filter_map(absolute).chain(imports.values().cloned());
        Module { named: named.collect(), imports, globs, items: self.items }
    }
}

#[derive(Default)]
struct Reader {
    tokens: Vec<Token>,
    at: usize,
    modules: Vec<(Path, Raw)>,
    /// Modules that are there for tests alone.
    tests: Vec<Path>,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    /// Two colons.
    Colons,
    Sign(char),
}

impl Reader {
    fn read(&mut self, path: Path) {
        let mut raw = Raw::default();
        let mut depth = 0;
        while let Some(token) = self.tokens.get(self.at).cloned() {
            match token {
                Token::Sign('{') => depth += 1,
                // The end of an inline module.
                Token::Sign('}') if depth == 0 => break,
                Token::Sign('}') => depth -= 1,
                Token::Sign('#') => {
                    if self.skip_attribute() {
                        self.skip_item(&path);
                    }
                    continue;
                }
                Token::Word(word) => {
                    self.read_word(&word, &path, &mut raw);
                    continue;
                }
                _ => (),
            }
            self.at += 1;
        }
        self.modules.push((path, raw));
    }

    fn read_word(&mut self, word: &str, path: &Path, raw: &mut Raw) {
        self.at += 1;
        let next = self.word();
        match (word, next) {
            ("mod", Some(name)) => {
                self.at += 1;
                if self.is('{') {
                    self.at += 1;
                    self.read(join(path, &name));
                    self.at += 1;
                }
            }
            ("use", _) if !self.is('<') => self.read_use(&mut Path::new(), raw),
            (
                "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static",
                Some(name),
            ) => {
                self.at += 1;
                raw.items.insert(name);
            }
            _ => {
                // What follows two colons without a word before them belongs to another type.
                let before = self.at.checked_sub(2).and_then(|at| self.tokens.get(at));
                let begins = before != Some(&Token::Colons);
                let named = self.read_path(word);
                if named.len() > 1 && begins {
                    raw.named.push(named);
                }
            }
        }
    }

    /// The rest of a path that begins with a word.
    fn read_path(&mut self, first: &str) -> Path {
        let mut path = vec![first.to_owned()];
        while self.tokens.get(self.at) == Some(&Token::Colons)
            && let Some(Token::Word(word)) = self.tokens.get(self.at + 1)
        {
            path.push(word.clone());
            self.at += 2;
        }
        path
    }

    /// A tree of imports, below what was read of it.
    fn read_use(&mut self, below: &mut Path, raw: &mut Raw) {
        let depth = below.len();
        loop {
            match self.tokens.get(self.at).cloned() {
                Some(Token::Colons) => self.at += 1,
                Some(Token::Word(word)) if word == "as" => {
                    self.at += 1;
                    let name = self.word().unwrap_or_default();
                    self.at += 1;
                    raw.imports.push((name, std::mem::take(below)));
                    break;
                }
                Some(Token::Word(word)) => {
                    self.at += 1;
                    below.push(word);
                }
                Some(Token::Sign('*')) => {
                    self.at += 1;
                    raw.globs.push(std::mem::take(below));
                    break;
                }
                Some(Token::Sign('{')) => {
                    self.at += 1;
                    while !self.is('}') && self.at < self.tokens.len() {
                        self.read_use(&mut below.clone(), raw);
                        if self.is(',') {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                _ => {
                    // `{self, …}` is the module itself.
                    if below.len() > 1 && below.last().is_some_and(|last| last == "self") {
                        below.pop();
                    }
                    if let Some(name) = below.last().cloned()
                        && below.len() >= depth
                    {
                        raw.imports.push((name, std::mem::take(below)));
                    }
                    break;
                }
            }
        }
    }

    /// Skips an attribute, and says whether what follows is for tests alone.
    fn skip_attribute(&mut self) -> bool {
        let start = self.at;
        self.at += 1;
        if self.is('!') {
            self.at += 1;
        }
        self.skip_group();
        let said = |word: &str| self.tokens[start..self.at].contains(&Token::Word(word.into()));
        said("cfg") && said("test") && !said("not") && !said("any")
    }

    /// Skips what an attribute is about: further attributes, and then up to a semicolon or the end of
    /// a block.
    fn skip_item(&mut self, path: &Path) {
        while self.is('#') {
            self.skip_attribute();
        }
        while let Some(token) = self.tokens.get(self.at).cloned() {
            match token {
                Token::Word(word) if word == "mod" => {
                    self.at += 1;
                    self.tests.extend(self.word().map(|name| join(path, &name)));
                }
                Token::Sign('{') => return self.skip_group(),
                Token::Sign('(' | '[') => self.skip_group(),
                Token::Sign(';' | ',') => {
                    self.at += 1;
                    return;
                }
                Token::Sign('}') => return,
                _ => self.at += 1,
            }
        }
    }

    /// Skips what stands between brackets of any kind.
    fn skip_group(&mut self) {
        let mut depth = 0;
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => depth -= 1,
                _ => (),
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
    }

    fn is(&self, sign: char) -> bool {
        self.tokens.get(self.at) == Some(&Token::Sign(sign))
    }

    fn word(&self) -> Option<String> {
        match self.tokens.get(self.at)? {
            Token::Word(word) => Some(word.clone()),
            _ => None,
        }
    }
}

/// The words and signs of a source, without comments and literals.
fn tokens(text: &str) -> Vec<Token> {
    let text: Vec<char> = text.chars().collect();
    let (mut tokens, mut at) = (Vec::new(), 0);
    let is = |at: usize, sign: char| text.get(at) == Some(&sign);
    while let Some(&sign) = text.get(at) {
        if is(at, '/') && is(at + 1, '/') {
            while at < text.len() && !is(at, '\n') {
                at += 1;
            }
        } else if is(at, '/') && is(at + 1, '*') {
            at = after_block_comment(&text, at);
        } else if sign == '"' {
            at = after_string(&text, at);
        } else if sign == '\'' {
            at = after_quote(&text, at);
        } else if sign.is_alphanumeric() || sign == '_' {
            let start = at;
            while text.get(at).is_some_and(|sign| sign.is_alphanumeric() || *sign == '_') {
                at += 1;
            }
            let word: String = text[start..at].iter().collect();
            let hashes = text[at..].iter().take_while(|sign| **sign == '#').count();
            if matches!(word.as_str(), "r" | "br" | "cr") && is(at + hashes, '"') {
                at = after_raw_string(&text, at, hashes);
            } else if word != "r" || hashes != 1 {
                tokens.push(Token::Word(word));
            } else {
                // `r#type` is a name.
                at += 1;
            }
        } else if is(at, ':') && is(at + 1, ':') {
            tokens.push(Token::Colons);
            at += 2;
        } else {
            if !sign.is_whitespace() {
                tokens.push(Token::Sign(sign));
            }
            at += 1;
        }
    }
    tokens
}

fn after_block_comment(text: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    loop {
        match text.get(at..at + 2) {
            Some(['/', '*']) => {
                depth += 1;
                at += 2;
            }
            Some(['*', '/']) => {
                depth -= 1;
                at += 2;
            }
            Some(_) => at += 1,
            None => return text.len(),
        }
        if depth == 0 {
            return at;
        }
    }
}

fn after_string(text: &[char], mut at: usize) -> usize {
    at += 1;
    while let Some(sign) = text.get(at) {
        match sign {
            '"' => return at + 1,
            '\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

fn after_raw_string(text: &[char], at: usize, hashes: usize) -> usize {
    let mut at = at + hashes + 1;
    while at < text.len() {
        let ends = text[at] == '"'
            && text[at + 1..].iter().take_while(|sign| **sign == '#').count() >= hashes;
        at += 1;
        if ends {
            return at + hashes;
        }
    }
    at
}

/// After a character; or after the quote of a lifetime, whose name is then a word that nothing follows.
fn after_quote(text: &[char], at: usize) -> usize {
    if text.get(at + 1) == Some(&'\\') {
        let mut at = at + 3;
        while at < text.len() && text[at] != '\'' {
            at += 1;
        }
        return at + 1;
    }
    if text.get(at + 2) == Some(&'\'') { at + 3 } else { at + 1 }
}
