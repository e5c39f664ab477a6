//! Law 1 with streams: they start, loop, seek, park, starve, break off, are stolen and end, and
//! `Renderer::render` never calls the allocator, to get or to free. Law 3 is counted beside it, at every buffer.

#[path = "common/allocator.rs"]
mod allocator;
mod common;
#[path = "common/streams.rs"]
mod streams;

use allocator::heap_calls;
use common::{PRIORITIES, Random, assert_balanced};
use streams::{Beyond, Disk, Form, HEADER, wait_until};
use voicepool::{
    BusId, Config, Event, Frame, Listener, Mixer, Play, Renderer, Stream, VoiceId, WhenStolen, ms,
};

/// Renders, and sees that the allocator is left alone and that what comes out is sound.
fn render(renderer: &mut Renderer, out: &mut [Frame]) {
    let ((), calls) = heap_calls(|| renderer.render(out));
    assert_eq!(calls, 0, "the audio side called the allocator");
    assert!(out.iter().flatten().all(|sample| sample.abs() <= 1.0));
}

fn request(random: &mut Random, music: &Stream, clock: u64) -> Play {
    let long = 1600;
    let mut play = Play::of(music).gain(random.unit()).pan(random.between(-1.0, 1.0));
    play = play.bus(BusId::new(random.below(3) as u8)).priority(*random.pick(&PRIORITIES));
    play = match random.below(4) {
        0 => play.looping(),
        1 => {
            let start = random.below(long);
            play.loop_range(ms(start)..ms(start + random.below(300)))
        }
        _ => play,
    };
    play = match random.below(6) {
        0 => play.start_at(clock + random.below(4000)),
        1 => play.delay(ms(random.below(60))),
        2 => play.at([random.between(-150.0, 150.0), 0.0]),
        3 => play.low_pass(random.between(200.0, 4000.0)),
        _ => play,
    };
    play = if random.below(2) == 0 { play.when_stolen(WhenStolen::Park) } else { play };
    if random.below(3) == 0 { play.from_position(ms(random.below(long))) } else { play }
}

fn say(mixer: &Mixer, random: &mut Random, voice: Option<VoiceId>) {
    let (bus, over) = (BusId::new(random.below(3) as u8), ms(random.below(40)));
    match random.below(16) {
        0 => mixer.stop(voice, over),
        1 => mixer.pause(voice, over),
        2 => mixer.resume(voice, over),
        3 => mixer.set_gain(voice, random.unit(), over),
        4 => mixer.set_speed(voice, random.between(0.2, 20.0), over),
        5..=7 => mixer.seek(voice, ms(random.below(1800))),
        8 => mixer.pause(bus, over),
        9 | 10 => mixer.resume(bus, over),
        11 => mixer.end_loop(voice),
        12 => mixer.set_listener(Listener::at([random.between(-150.0, 150.0), 0.0])),
        13 => mixer.set_position(voice, [random.between(-150.0, 150.0), 0.0]),
        14 => drop(mixer.resize(1 + random.below(8) as usize)),
        _ if random.below(6) == 0 => mixer.stop_all(over),
        _ => drop(mixer.voices()),
    }
}

/// Everything that can be said, to streams from disks that stop, go on, and break off as they like.
#[test]
fn nothing_that_streams_do_calls_the_allocator_in_render() {
    let form = Form { rate: 16_000, channels: 1, is_float: false };
    let file = form.music(16_000 * 17 / 10);
    for seed in 0..4 {
        let random = &mut Random(seed);
        let config = Config {
            voices: 4,
            max_voices: 8,
            parked: 4,
            scheduled: 4,
            commands: 64,
            streams: 5,
            sample_rate: *random.pick(&[16_000, 8_000]),
            ..Config::default()
        };
        let (mixer, mut renderer) = Mixer::offline(config).expect("a good config");
        let disks: Vec<Disk> = (0..3).map(|_| Disk::new(&file)).collect();
        let streams: Vec<Stream> = disks.iter().map(|disk| disk.stream("music")).collect();
        let mut voices = Vec::new();
        let mut out = [[0.0; 2]; 900];
        for _ in 0..700 {
            if random.below(3) == 0 {
                let music = random.pick(&streams);
                voices.push(mixer.play(request(random, music, mixer.clock())));
                voices.drain(..voices.len().saturating_sub(8));
            }
            for _ in 0..random.below(3) {
                let voice = voices.get(random.below(8) as usize).copied().flatten();
                say(&mixer, random, voice);
            }
            let disk = random.pick(&disks);
            let byte = HEADER + random.below(file.len() as u64);
            match random.below(24) {
                0 => disk.stop_at(byte, Beyond::Block),
                1 => disk.stop_at(byte, Beyond::Fail),
                2 => disk.stop_at(byte, Beyond::End),
                3..=8 => disk.go_on(),
                _ => (),
            }
            if random.below(4) == 0 {
                // So that what is ordered arrives now and then.
                std::thread::sleep(ms(2));
            }
            let frames = random.below(901) as usize;
            render(&mut renderer, &mut out[..frames]);
            assert_balanced(&mixer.stats());
            if random.below(5) == 0 {
                mixer.events().for_each(drop);
            }
        }
        let stats = mixer.stats();
        assert!(stats.refused > 5 && stats.parkings > 5 && stats.stopped > 5, "{stats}");
        disks.iter().for_each(Disk::go_on);
        mixer.stop_all(ms(0));
        mixer.resize(8).expect("as many as may be");
        render(&mut renderer, &mut out);
        let stats = mixer.stats();
        assert_balanced(&stats);
        assert_eq!(stats.live, 0, "{stats}");
        // Every place was given back.
        for disk in &disks {
            mixer.play(disk.stream("music"));
        }
        render(&mut renderer, &mut out);
        assert_eq!(mixer.stats().refused, stats.refused, "there is a place again");
    }
}

/// One that starves, comes back, breaks off and ends, whatever the dice say.
#[test]
fn a_stream_that_starves_and_breaks_off_calls_no_allocator_in_render() {
    let form = Form::MONO;
    let file = form.music(48_000 * 4);
    let disk = Disk::new(&file);
    let (mixer, mut renderer) = Mixer::offline(Config::default()).expect("a good config");
    let music = disk.stream("music");
    let mut out = [[0.0; 2]; 700];
    for looping in [false, true] {
        disk.stop_at(0, Beyond::Block);
        let play = Play::of(&music);
        mixer.play(if looping { play.looping() } else { play });
        let dry = mixer.stats().underruns;
        // Until long after what it will be able to read.
        let end = mixer.clock() + 150_000;
        while mixer.clock() < end {
            render(&mut renderer, &mut out);
        }
        assert_eq!(mixer.stats().underruns, dry + 1);
        disk.stop_at(HEADER + 70_000 * form.frame_bytes(), Beyond::Fail);
        disk.ring();
        wait_until("its end", || {
            render(&mut renderer, &mut out);
            mixer.stats().live == 0
        });
        let failed = |event: &Event| matches!(event, Event::StreamFailed { .. });
        let failures = mixer.events().filter(failed).count();
        // What does not loop may have come to its end, since time goes on, before any more could be read.
        assert!(failures == 1 || failures == 0 && !looping, "{failures}, looping {looping}");
    }
}
