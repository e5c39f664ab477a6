//! Text that JavaScript reads: as much of JSON as the page needs.

use std::fmt::Write;

/// A value that can be written. What is no number is `null`.
pub trait Json {
    fn write(&self, out: &mut String);
}

impl Json for str {
    fn write(&self, out: &mut String) {
        out.push('"');
        for c in self.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                c if c < ' ' => drop(write!(out, "\\u{:04x}", c as u32)),
                c => out.push(c),
            }
        }
        out.push('"');
    }
}

impl Json for String {
    fn write(&self, out: &mut String) {
        self.as_str().write(out);
    }
}

impl Json for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl Json for usize {
    fn write(&self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
}

impl Json for u64 {
    fn write(&self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
}

impl Json for i32 {
    fn write(&self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
}

/// To a thousandth: more is not seen.
impl Json for f32 {
    fn write(&self, out: &mut String) {
        match self.is_finite() {
            true => drop(write!(out, "{}", (f64::from(*self) * 1000.0).round() / 1000.0)),
            false => out.push_str("null"),
        }
    }
}

impl<T: Json> Json for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

impl<T: Json + ?Sized> Json for &T {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }
}

/// A list.
impl<T: Json> Json for Vec<T> {
    fn write(&self, out: &mut String) {
        out.push('[');
        for (n, value) in self.iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            value.write(out);
        }
        out.push(']');
    }
}

/// An object that is being written.
#[derive(Default)]
pub struct Object {
    text: String,
}

impl Object {
    pub fn with(mut self, name: &str, value: impl Json) -> Object {
        self.text.push(if self.text.is_empty() { '{' } else { ',' });
        name.write(&mut self.text);
        self.text.push(':');
        value.write(&mut self.text);
        self
    }

    pub fn text(self) -> String {
        if self.text.is_empty() { "{}".into() } else { self.text + "}" }
    }
}

impl Json for Object {
    fn write(&self, out: &mut String) {
        out.push_str(&self.text);
        out.push_str(if self.text.is_empty() { "{}" } else { "}" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read_whatever_a_file_is_called() {
        let object = Object::default()
            .with("name", "a \"b\" \\ \u{1b}[31m é")
            .with("level", f32::NEG_INFINITY)
            .with("pan", -0.123_456_f32)
            .with("list", vec![Some(1usize), None])
            .with("none", Object::default());
        let text = r#"{"name":"a \"b\" \\ \u001b[31m é","level":null,"pan":-0.123,"list":[1,null],"none":{}}"#;
        assert_eq!(object.text(), text);
    }
}
