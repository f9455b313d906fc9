use librattle_sys as sys;
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;

/// What kind of failure it is: one of the constants.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub sys::rattle_status);

impl Status {
    pub const NO_MEMORY: Status = Status(sys::RATTLE_NO_MEMORY);
    pub const BAD_ARGUMENT: Status = Status(sys::RATTLE_BAD_ARGUMENT);
    pub const BAD_METHOD: Status = Status(sys::RATTLE_BAD_METHOD);
    pub const UNSUITABLE: Status = Status(sys::RATTLE_UNSUITABLE);
    pub const BAD_MODEL: Status = Status(sys::RATTLE_BAD_MODEL);
    pub const OFF_CONSTRAINTS: Status = Status(sys::RATTLE_OFF_CONSTRAINTS);
    pub const NOT_REGULAR: Status = Status(sys::RATTLE_NOT_REGULAR);
    pub const NOT_CONVERGED: Status = Status(sys::RATTLE_NOT_CONVERGED);
    pub const SINGULAR: Status = Status(sys::RATTLE_SINGULAR);
    pub const DOMAIN: Status = Status(sys::RATTLE_DOMAIN);
    pub const CALLBACK: Status = Status(sys::RATTLE_CALLBACK);
    pub const INTERRUPTED: Status = Status(sys::RATTLE_INTERRUPTED);
    pub const IO: Status = Status(sys::RATTLE_IO);
    pub const DEGENERATE: Status = Status(sys::RATTLE_DEGENERATE);

    /// What to do about it.
    pub fn remedy(self) -> String {
        unsafe { text(sys::rattle_status_remedy(self.0)) }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&unsafe { text(sys::rattle_status_name(self.0)) })
    }
}

/// A failure: a sentence that says what happened, where, and what to do.
#[derive(Clone, Debug)]
pub struct Error {
    pub status: Status,
    pub message: String,
    /// The constraint, the file and line, or the method; empty: none.
    pub place: String,
    /// The step that failed, counted from the start of the run, and the time at its start.
    pub step: Option<i64>,
    pub time: Option<f64>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    pub(crate) fn argument(message: String) -> Error {
        Error { status: Status::BAD_ARGUMENT, message, place: String::new(), step: None, time: None }
    }

    fn from_c(e: &sys::rattle_error) -> Error {
        Error {
            status: Status(e.status),
            message: unsafe { text(e.message.as_ptr()) },
            place: unsafe { text(e.r#where.as_ptr()) },
            step: Some(e.step).filter(|step| *step >= 0),
            time: Some(e.time).filter(|time| !time.is_nan()),
        }
    }
}

/// Calls a function of C that fills an error where it fails.
pub(crate) fn call(f: impl FnOnce(*mut sys::rattle_error) -> sys::rattle_status) -> Result<(), Error> {
    let mut error = std::mem::MaybeUninit::<sys::rattle_error>::zeroed();
    match f(error.as_mut_ptr()) {
        sys::RATTLE_OK => Ok(()),
        _ => Err(Error::from_c(unsafe { &error.assume_init() })),
    }
}

/// A copy of a string of C; of NULL the empty string.
pub(crate) unsafe fn text(from: *const c_char) -> String {
    if from.is_null() {
        return String::new();
    }
    CStr::from_ptr(from).to_string_lossy().into_owned()
}

pub(crate) fn c_string(from: &str, what: &str) -> Result<CString, Error> {
    CString::new(from).map_err(|_| Error::argument(format!("{what} has a byte 0 in it")))
}

/// Numbers of C; none where there are none.
pub(crate) unsafe fn numbers<'a, T>(from: *const T, count: usize) -> &'a [T] {
    if from.is_null() || count == 0 {
        return &[];
    }
    std::slice::from_raw_parts(from, count)
}
