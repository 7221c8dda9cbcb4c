// Package machine says what of the machine this process may use: memory and threads,
// within the limits of its container or service. It reads the files of Linux; elsewhere
// it knows nothing. Media workers and their owner take their bounds from it, doctor shows
// them.
package machine
