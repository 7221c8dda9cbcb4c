// Package frame is the protocol between the control process and a media worker:
// small messages and large payloads, multiplexed over one stream socket.
//
// The worker is the less trusted side, because it touches hostile media. So whichever side
// reads bounds every length and number before using it, and what is malformed
// ends the connection with an *Error. Payloads travel in chunks, so that a large
// segment does not keep a heartbeat waiting, and are written from and read into
// the caller's buffers.
//
// The package moves bytes. Starting, watching and replacing workers is its
// caller transcoder/worker's.
package frame
