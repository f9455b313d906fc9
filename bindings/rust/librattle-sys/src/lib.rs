//! Declarations of librattle: constrained Hamiltonian systems in C. The crate `librattle` is the safe layer over them.
//!
//! Names, arguments and contracts are those of the headers `rattle/*.h`, which come with the library. Structs whose first member is
//! `struct_size` are made by [`sized`]. Values of enums are integers, since a later library of the same ABI may have more of them.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

mod bindings;
pub use bindings::*;

/// Structs that carry their size, so that they may grow.
///
/// # Safety
/// The struct is `repr(C)`, its first member is `struct_size: usize`, and all its other bytes may be 0.
pub unsafe trait Sized_ {}

/// Options with all members 0, but for their size.
pub fn sized<T: Sized_>() -> T {
    let mut made = std::mem::MaybeUninit::<T>::zeroed();
    unsafe {
        *(made.as_mut_ptr() as *mut usize) = std::mem::size_of::<T>();
        made.assume_init()
    }
}
