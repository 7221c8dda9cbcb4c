// Package dashboard remembers what an operator's dashboard shows beside the state of
// the moment: the live sessions with their pace, and the last minutes of work in
// steps. It watches by standing between others: Sessions before a core.Transcoder,
// Series before a core.Recorder and an inference.Recorder.
//
// It keeps nothing on disk, starts no goroutine, knows no HTTP, and is bounded however
// many streams come. It is no substitute for metrics, which go on for longer and are
// exact. cmd/tutti puts it in its places and hands what it says to server/admin.
package dashboard
