// Package dashboard keeps what an operator's dashboard shows in addition to the present
// state: the live sessions with their speed, and the last minutes of work in steps. It wraps
// other components: Sessions wraps a core.Transcoder, Series a core.Recorder and an
// inference.Recorder.
//
// It writes nothing to disk, starts no goroutine, does not know HTTP, and its memory is
// bounded for any number of streams. It does not replace metrics, which are exact and kept
// for longer. cmd/tutti wires it and passes its data to server/admin.
package dashboard
