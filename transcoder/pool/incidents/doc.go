// Package incidents records what ended or blocked media workers: segments by their bytes,
// streams, and senders. It decides how the next segment must run, so that the same segment,
// stream or sender does not cost others a worker again, in whatever session and with
// whatever variation of its bytes.
//
// It decides nothing about devices: whether a segment or the device is to blame is decided by
// transcoder/pool, the only caller. The records are bounded in number and expire.
package incidents
