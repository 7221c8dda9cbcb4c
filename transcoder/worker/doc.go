// Package worker runs the media work of one device in a child process, so that
// hostile media, a crashing codec or a hanging driver meet a process that has no
// keys, no network and no files, and costs at most one attempt at a segment.
//
// Client is the control process's side: a transcoder.Engine that starts the
// child, watches it and replaces it. Main is the child's side, run by the
// program's hidden subcommand around any engine. The two speak a protocol of their own, in
// the protocol files; worker/sandbox restricts the process.
//
// Which device gets a session, how long a segment may take and whether it is
// tried again is not decided here but in transcoder/pool.
//
// The protocol is small messages and large payloads, multiplexed over one stream socket. The
// worker is the less trusted side, because it touches hostile media. So whichever side reads
// bounds every length and number before using it, and what is malformed ends the connection with
// a *ProtocolError. Payloads travel in chunks, so that a large segment does not keep a heartbeat
// waiting, and are written from and read into the caller's buffers.
package worker
