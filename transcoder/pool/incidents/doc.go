// Package incidents remembers what ended or blocked media workers: single segments by
// their bytes, streams, and senders of streams. It says how the next segment is to be
// run, so that the same segment, stream or sender does not cost others a worker again,
// whatever session it comes in and however its bytes are varied.
//
// It decides nothing about devices: whether a segment or the device is to blame is the
// pool's question, and only transcoder/pool calls this package. What is remembered is
// bounded in number and fades with time.
package incidents
