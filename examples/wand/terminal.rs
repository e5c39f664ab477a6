//! The terminal: taken over, and given back as it was, whatever happens.

use std::error::Error;
use std::io::{self, Stdout};
use std::mem;
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
#[cfg(unix)]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};
use ratatui::layout::Rect;
#[cfg(unix)]
use signal_hook::iterator::Signals;

use crate::input;
use crate::logic::app::App;
use crate::logic::wand::TICKS;
use crate::session::Session;
use crate::view;

/// Runs the app until it is told to quit.
pub fn run(app: &mut App, session: &mut Session) -> Result<(), Box<dyn Error>> {
    let asked = signals()?;
    let mut screen = Screen::open()?;
    let tick = Duration::from_secs(1) / TICKS as u32;
    let mut next = Instant::now();
    while !app.quit && !asked.load(Ordering::Relaxed) {
        // After a long pause, of a laptop's sleep say, it goes on from now.
        if next.elapsed() > tick * 30 {
            next = Instant::now();
        }
        while next <= Instant::now() {
            app.tick();
            next += tick;
        }
        let stage = screen.draw(app)?;
        // What stands still need not be drawn so often.
        let waits = match app.is_still() {
            true => 4,
            false if app.stage.len() == 0 => 1,
            false => 0,
        };
        let until = next + waits * tick;
        while event::poll(until.saturating_duration_since(Instant::now()))? {
            match event::read()? {
                Event::Key(key) => input::key(key).into_iter().for_each(|key| app.key(key)),
                Event::Mouse(mouse) => {
                    input::click(mouse, stage).into_iter().for_each(|at| app.click(at));
                }
                _ => (),
            }
        }
        if mem::take(&mut app.saves) {
            app.say(session.save(Path::new("")));
        }
    }
    Ok(())
}

/// How long the app has to go when it is asked to, also on a busy machine.
#[cfg(unix)]
const GRACE: Duration = Duration::from_secs(5);

/// Set when the system asks us to go.
fn signals() -> io::Result<Arc<AtomicBool>> {
    let asked = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
        let asked = asked.clone();
        std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                asked.store(true, Ordering::Relaxed);
                // To read from a terminal that was closed never ends: the app may not come to it.
                std::thread::sleep(GRACE);
                give_back();
                std::process::exit(1);
            }
        });
    }
    Ok(asked)
}

/// The terminal while it is ours.
struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    fn open() -> Result<Screen, Box<dyn Error>> {
        let before = std::panic::take_hook();
        let main = std::thread::current().id();
        std::panic::set_hook(Box::new(move |info| {
            // What panics elsewhere does not end the app, and must not write over it.
            if std::thread::current().id() == main {
                give_back();
                show_errors();
                before(info);
            }
        }));
        let mut screen = Screen { terminal: Terminal::new(CrosstermBackend::new(io::stdout()))? };
        OURS.store(true, Ordering::Relaxed);
        enable_raw_mode()?;
        execute!(screen.terminal.backend_mut(), EnterAlternateScreen, EnableMouseCapture)?;
        screen.terminal.clear()?;
        Ok(screen)
    }

    /// Draws in one go, where the terminal knows how: nothing is seen half done. Says where the stage
    /// is.
    fn draw(&mut self, app: &App) -> io::Result<Rect> {
        let mut stage = Rect::default();
        execute!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| stage = view::draw(frame, app))?;
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        Ok(stage)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Whether the terminal is ours.
static OURS: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back, once: the screen that it clears must be ours, and not the one that a
/// panic's message stands on. Nothing can be done if that fails.
fn give_back() {
    if !OURS.swap(false, Ordering::Relaxed) {
        return;
    }
    let _ = disable_raw_mode();
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        DisableMouseCapture,
        // Some terminals that were resized leave a part of the screen behind.
        cursor::MoveTo(0, 0),
        Clear(ClearType::FromCursorDown),
        LeaveAlternateScreen,
        cursor::Show
    );
}

/// The standard error as it was.
#[cfg(unix)]
static ERRORS: OnceLock<OwnedFd> = OnceLock::new();

/// From here on nothing is seen that goes to the standard error: without a device, the system's
/// sound library writes there at every try, into the middle of the screen.
pub fn hush_errors() -> io::Result<()> {
    #[cfg(unix)]
    {
        let before = rustix::io::dup(rustix::stdio::stderr())?;
        let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
        rustix::stdio::dup2_stderr(nowhere)?;
        let _ = ERRORS.set(before);
    }
    Ok(())
}

/// Errors of our own are seen again.
pub fn show_errors() {
    #[cfg(unix)]
    if let Some(before) = ERRORS.get() {
        let _ = rustix::stdio::dup2_stderr(before);
    }
}
