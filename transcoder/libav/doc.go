// Package libav is the media engine: it decodes a segment once and gives all its
// renditions, in memory on both sides, with FFmpeg's libraries linked in.
//
// Its device is the CPU or an NVIDIA GPU (form, backend). On a GPU a session keeps
// decoder, filters and encoders from one segment to the next (media), on the
// CPU nothing; segments may come in any order on both.
//
// It is run inside a media-worker process (transcoder/worker), never in the
// process that holds keys: what it reads is hostile. Placement, deadlines and
// retries are not its business (transcoder/pool).
//
// It is the only package that imports go-astiav. What that lacks is in shim.c.
package libav
