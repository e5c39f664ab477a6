//! Errors are told apart by their kinds, and name what they are about.

mod common;

use common::noise;
use voicepool::{Config, Error, Mixer, ResizeFault, Sound};

/// A WAV file of 16-bit mono samples, with a `fmt ` chunk of these fields.
fn wav(codec: u16, channels: u16, rate: u32, bits: u16, data: &[u8]) -> Vec<u8> {
    let frame = channels * (bits / 8);
    let fmt = [
        &codec.to_le_bytes()[..],
        &channels.to_le_bytes(),
        &rate.to_le_bytes(),
        &(rate * u32::from(frame)).to_le_bytes(),
        &frame.to_le_bytes(),
        &bits.to_le_bytes(),
    ]
    .concat();
    let size = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
    let chunks = [b"fmt ", &size(&fmt)[..], &fmt, b"data", &size(data), data].concat();
    [b"RIFF", &(chunks.len() as u32 + 4).to_le_bytes()[..], b"WAVE", &chunks].concat()
}

fn kind(error: &Error) -> &'static str {
    match error {
        Error::Read { .. } => "read",
        Error::Unsupported { .. } => "unsupported",
        Error::Damaged { .. } => "damaged",
        Error::Sound { .. } => "sound",
        Error::Config { .. } => "config",
        Error::Resize { .. } => "resize",
        _ => "another",
    }
}

#[test]
fn what_is_wrong_with_a_file_is_a_kind() {
    let (pcm, float, g_726) = (1, 3, 0x45);
    let two_bytes_short = |file: Vec<u8>| file[..30].to_vec();
    let mut contradiction = wav(pcm, 1, 8000, 16, &[0; 8]);
    contradiction[32] = 7; // bytes a frame
    let not_a_number = f32::NAN.to_le_bytes();
    let files: [(&str, Vec<u8>); 12] = [
        ("unsupported", b"wvpk\0\x02".to_vec()),
        ("unsupported", b"hello, this is no sound".to_vec()),
        ("unsupported", wav(g_726, 1, 8000, 4, &[0; 8])),
        ("unsupported", wav(pcm, 6, 8000, 16, &[0; 24])),
        ("unsupported", wav(float, 1, 8000, 64, &[0; 8])),
        ("damaged", Vec::new()),
        ("damaged", two_bytes_short(wav(pcm, 1, 8000, 16, &[0; 8]))),
        ("damaged", b"RIFF\x04\0\0\0WAVE".to_vec()),
        ("damaged", contradiction),
        ("sound", wav(pcm, 1, 0, 16, &[0; 8])),
        ("sound", wav(pcm, 1, 8000, 16, &[])),
        ("sound", wav(float, 1, 8000, 32, &not_a_number)),
    ];
    let (mixer, _renderer) = Mixer::offline(Config::DEFAULT).expect("the default");
    let path = std::env::temp_dir().join(format!("voicepool-kinds-{}.wav", std::process::id()));
    for (expected, file) in files {
        let error = Sound::from_bytes(&file).expect_err("a bad file");
        assert_eq!(kind(&error), expected, "{error}");
        let error = mixer.load_bytes("assets/boom", &file).expect_err("a bad file");
        assert_eq!(kind(&error), expected, "{error}");
        assert!(error.to_string().starts_with("assets/boom: "), "{error}");
        std::fs::write(&path, &file).expect("a file of a test");
        let error = mixer.load(&path).expect_err("a bad file");
        assert_eq!(kind(&error), expected, "{error}");
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
    }
    std::fs::remove_file(&path).expect("it was there");
    assert_eq!(kind(&mixer.load(&path).expect_err("it is gone")), "read");
}

#[test]
fn samples_that_cannot_be_played_are_another_kind_than_files() {
    let made: [fn() -> Result<Sound, Error>; 4] = [
        || Sound::from_mono(48_000, &[f32::INFINITY]),
        || Sound::from_stereo(0, &[[0.0; 2]]),
        || Sound::from_mono(48_000, &[]),
        || Sound::from_mono(48_000, &[0.0])?.resampled(0),
    ];
    for make in made {
        let error = make().expect_err("no sound");
        assert_eq!(kind(&error), "sound", "{error}");
    }
}

#[test]
fn bytes_become_a_sound_of_that_name_at_the_mixers_rate() {
    let samples: Vec<u8> =
        noise(1, 800).iter().flat_map(|it| ((it * 9000.0) as i16).to_le_bytes()).collect();
    let file = wav(1, 1, 8000, 16, &samples);
    for rate in [8_000, 44_100, 48_000] {
        let config = Config { sample_rate: rate, ..Config::DEFAULT };
        let (mixer, _renderer) = Mixer::offline(config).expect("a good config");
        let sound = mixer.load_bytes("boom", &file).expect("a good file");
        assert_eq!((sound.name(), sound.sample_rate()), ("boom", rate));
        let twin = Sound::from_bytes(&file).and_then(|it| it.resampled(rate)).expect("the same");
        assert!(sound.frames().eq(twin.frames()), "at {rate} Hz");
    }
}

#[test]
fn a_resize_that_can_never_be_says_why() {
    let (mixer, renderer) = Mixer::offline(Config::DEFAULT).expect("the default");
    let why = |voices| match mixer.resize(voices) {
        Err(Error::Resize { voices: asked, why, .. }) if asked == voices => Some(why),
        _ => None,
    };
    assert_eq!(why(0), Some(ResizeFault::NoVoices));
    assert_eq!(why(256), None);
    assert!(matches!(why(257), Some(ResizeFault::TooMany { max_voices: 256 })));
    drop(renderer);
    assert_eq!(why(8), Some(ResizeFault::NoRenderer));
    assert_eq!(
        mixer.resize(300).expect_err("too many").to_string(),
        "resize to 300 voices: Config::max_voices is 256"
    );
}

#[test]
fn a_config_that_is_wrong_names_its_field() {
    const NO_VOICES: Config = Config { voices: 0, ..Config::DEFAULT };
    let error = Mixer::offline(NO_VOICES).expect_err("no mixer");
    assert!(matches!(error, Error::Config { field: "voices", value: 0, .. }), "{error}");
    assert_eq!(Config::DEFAULT, Config::default());
}
