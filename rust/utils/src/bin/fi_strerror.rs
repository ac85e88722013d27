//! fi_strerror: the text of an error number.

use std::process::ExitCode;

fn number(text: &str) -> Option<i32> {
    let (sign, t) = text.strip_prefix('-').map_or((1i64, text), |t| (-1, t));
    let n = match t {
        _ if t.starts_with("0x") || t.starts_with("0X") => i64::from_str_radix(&t[2..], 16).ok()?,
        _ if t.len() > 1 && t.starts_with('0') => i64::from_str_radix(&t[1..], 8).ok()?,
        _ => t.parse().ok()?,
    };
    i32::try_from((sign * n).abs()).ok()
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [arg] if arg == "-h" || arg == "--help" => {
            println!("Usage: fi_strerror FI_ERROR_CODE\n");
            println!(
                "Prints the text of an error number: decimal, octal (0...) or hexadecimal (0x...), of either sign."
            );
            ExitCode::SUCCESS
        }
        [arg] => match number(arg) {
            Some(n) => {
                println!("{}", utils::strerror(n));
                ExitCode::SUCCESS
            }
            None => {
                eprintln!("fi_strerror: {arg} is not a number");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("Usage: fi_strerror FI_ERROR_CODE");
            ExitCode::FAILURE
        }
    }
}
