//! What every provider shares: the fid objects of the API behind safe traits.
