//! Points and vectors of the maths crates, as `mint` has them.
#![cfg(feature = "mint")]

use voicepool::{Config, Listener, Mixer, Play, Point, Sound, Tag};

#[test]
fn points_and_vectors_of_both_kinds_are_places() {
    let place = Point { x: 1.0, y: 2.0, z: 3.0 };
    assert_eq!(Point::from(mint::Point3 { x: 1.0, y: 2.0, z: 3.0 }), place);
    assert_eq!(Point::from(mint::Vector3 { x: 1.0, y: 2.0, z: 3.0 }), place);
    let flat = Point { z: 0.0, ..place };
    assert_eq!(Point::from(mint::Point2 { x: 1.0, y: 2.0 }), flat);
    assert_eq!(Point::from(mint::Vector2 { x: 1.0, y: 2.0 }), flat);
}

#[test]
fn they_go_wherever_a_place_does() {
    let (mixer, _renderer) = Mixer::offline(Config::DEFAULT).unwrap();
    let sound = Sound::from_mono(48_000, &[0.5; 48]).unwrap();
    let place = mint::Vector2 { x: 3.0, y: 4.0 };
    mixer.play(Play::of(&sound).at(place).tag(1));
    mixer.set_position(Tag(1), mint::Point3 { x: 3.0, y: 4.0, z: 0.0 });
    mixer.set_positions([(Tag(1), place)]);
    mixer.teleport(Tag(1), place);
    mixer.set_listener(Listener::at(place));
}
