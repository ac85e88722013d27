//! What an application calls first: getinfo, fabric, parameters, log, strings, provider registry.
