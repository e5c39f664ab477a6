//! A small writer of SVG: elements, attributes and text, escaped.

use std::fmt::{Display, Write};
use std::path::Path;

use voicepool::Error;

/// The attributes of an element.
pub type Attributes<'a> = &'a [(&'a str, &'a dyn Display)];

/// A picture in the making.
pub struct Svg {
    text: String,
}

impl Svg {
    /// An empty picture. `title` is what a screen reader says of it.
    pub fn new(width: u32, height: u32, title: &str, style: &str) -> Svg {
        let mut svg = Svg { text: String::new() };
        let view = format!("0 0 {width} {height}");
        svg.begin(
            "svg",
            &[
                ("xmlns", &"http://www.w3.org/2000/svg"),
                ("width", &width),
                ("height", &height),
                ("viewBox", &view),
                ("role", &"img"),
            ],
            ">\n",
        );
        svg.text_element("title", &[], title);
        svg.text_element("style", &[], style);
        svg
    }

    pub fn rect(&mut self, [x, y, width, height]: [f64; 4], more: Attributes) {
        let [x, y, width, height] = [x, y, width, height].map(short);
        let place: Attributes = &[("x", &x), ("y", &y), ("width", &width), ("height", &height)];
        self.begin("rect", &[place, more].concat(), "/>\n");
    }

    pub fn path(&mut self, path: &str, more: Attributes) {
        let path: Attributes = &[("d", &path)];
        self.begin("path", &[path, more].concat(), "/>\n");
    }

    /// A line of text, whose left end is at this place unless its style says otherwise.
    pub fn label(&mut self, at: [f64; 2], more: Attributes, text: &str) {
        let [x, y] = at.map(short);
        let place: Attributes = &[("x", &x), ("y", &y)];
        self.text_element("text", &[place, more].concat(), text);
    }

    /// Elements that have something in common.
    pub fn group(&mut self, attributes: Attributes, inside: impl FnOnce(&mut Svg)) {
        self.begin("g", attributes, ">\n");
        inside(self);
        self.text.push_str("</g>\n");
    }

    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    /// Writes the picture into a file.
    pub fn save(self, path: &Path) -> Result<(), Error> {
        std::fs::write(path, self.finish())
            .map_err(|source| Error::Write { path: path.to_owned(), source })
    }

    fn text_element(&mut self, name: &str, attributes: Attributes, text: &str) {
        self.begin(name, attributes, ">");
        self.escape(text);
        let _ = writeln!(self.text, "</{name}>");
    }

    fn begin(&mut self, name: &str, attributes: Attributes, end: &str) {
        self.text.push('<');
        self.text.push_str(name);
        for (name, value) in attributes {
            let _ = write!(self.text, " {name}=\"");
            self.escape(&value.to_string());
            self.text.push('"');
        }
        self.text.push_str(end);
    }

    /// Adds text that cannot be taken for anything else. What XML has no place for is left out.
    fn escape(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                '\u{fffe}' | '\u{ffff}' => (),
                c if c.is_control() && !matches!(c, '\n' | '\t') => (),
                c => self.text.push(c),
            }
        }
    }
}

/// A coordinate: to a tenth, and no longer than it must be.
pub fn short(value: f64) -> f64 {
    // Adding 0 makes a negative zero positive.
    (value * 10.0).round() / 10.0 + 0.0
}

/// How wide a text may be at the most: nobody knows which font it will be set in. A usual one takes
/// 0.56 of its size for a letter; the widest take a third more.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.73
}

/// Reads back what was written, for tests.
#[cfg(test)]
pub mod check {
    /// An element: its name, its attributes, and the text in it.
    #[derive(Debug, Default)]
    pub struct Element {
        pub name: String,
        pub attributes: Vec<(String, String)>,
        pub text: String,
    }

    impl Element {
        pub fn get(&self, name: &str) -> &str {
            let found = self.attributes.iter().find(|(each, _)| each == name);
            found.map_or("", |(_, value)| value)
        }
    }

    /// Every element of a picture, in order. Panics where the XML is not well formed.
    pub fn elements(mut xml: &str) -> Vec<Element> {
        let (mut elements, mut open) = (Vec::<Element>::new(), Vec::<usize>::new());
        while let Some((text, rest)) = xml.split_once('<') {
            let (tag, rest) = rest.split_once('>').expect("every < has its >");
            match open.last() {
                Some(&element) => elements[element].text += &unescape(text),
                None => assert!(text.trim().is_empty(), "text outside of all: {text}"),
            }
            if let Some(name) = tag.strip_prefix('/') {
                let opened = open.pop().map(|element| elements[element].name.as_str());
                assert_eq!(opened, Some(name), "what is closed was opened");
            } else {
                assert!(elements.is_empty() || !open.is_empty(), "one element holds all others");
                let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
                if !closed {
                    open.push(elements.len());
                }
                elements.push(element(tag));
            }
            xml = rest;
        }
        assert!(open.is_empty() && xml.trim().is_empty(), "all is closed at the end");
        elements
    }

    fn element(tag: &str) -> Element {
        let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        assert!(is_name(name), "{name} is a name");
        let mut attributes: Vec<(String, String)> = Vec::new();
        while !rest.is_empty() {
            let (name, value) = rest.split_once("=\"").expect("an attribute has a value");
            let (value, after) = value.split_once('"').expect("a value has an end");
            let twice = attributes.iter().any(|(each, _)| each == name);
            assert!(is_name(name) && !twice, "{name} is a name, and new");
            attributes.push((name.into(), unescape(value)));
            assert!(after.is_empty() || after.starts_with(' '), "attributes are apart");
            rest = after.trim_start();
        }
        Element { name: name.into(), attributes, text: String::new() }
    }

    fn unescape(text: &str) -> String {
        let mut plain = String::new();
        for (n, part) in text.split('&').enumerate() {
            let (c, rest) = match part.split_once(';') {
                _ if n == 0 => ("", part),
                Some(("amp", rest)) => ("&", rest),
                Some(("lt", rest)) => ("<", rest),
                Some(("gt", rest)) => (">", rest),
                Some(("quot", rest)) => ("\"", rest),
                _ => panic!("&{part} is no escape"),
            };
            plain += c;
            plain += rest;
        }
        assert!(plain.chars().all(|c| !c.is_control() || c == '\n'), "{plain:?}");
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_name_holds_comes_back_as_it_was_or_not_at_all() {
        let name = "a<b> & \"c\" ]]> &amp; 'd' é\u{1b}[31m\u{0}\u{ffff}\n";
        let mut svg = Svg::new(10, 20, name, "");
        svg.group(&[("id", &name)], |svg| svg.label([1.5, 2.0], &[], name));
        let elements = check::elements(&svg.finish());
        let kept = "a<b> & \"c\" ]]> &amp; 'd' é[31m\n";
        assert_eq!(elements.iter().filter(|element| element.text == kept).count(), 2);
        let group = elements.iter().find(|element| element.name == "g").unwrap();
        assert_eq!(group.get("id"), kept);
        assert_eq!(elements[0].get("viewBox"), "0 0 10 20");
    }

    #[test]
    fn what_is_not_well_formed_is_seen() {
        for xml in ["<a>", "<a></b>", "<a/><b/>", "<a b=c/>", "<a>&x;</a>", "<a b=\"1\" b=\"2\"/>"]
        {
            assert!(std::panic::catch_unwind(|| check::elements(xml)).is_err(), "{xml}");
        }
        assert_eq!(check::elements("<a><b/> </a>").len(), 2);
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!(short(1.0 / 3.0).to_string(), "0.3");
        assert_eq!(short(-0.01).to_string(), "0");
        assert_eq!(short(12.0).to_string(), "12");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let error = Svg::new(1, 1, "", "").save(Path::new("no/such/folder/x.svg")).unwrap_err();
        assert!(error.to_string().starts_with("no/such/folder/x.svg: could not be written: "));
    }
}
