//! The tools users know: fi_info, fi_pingpong, fi_strerror.
