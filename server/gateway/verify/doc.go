// Package verify finds out what a rendition really holds, without decoding it: how
// many pictures of which size. A gateway that pays per pixel holds the orchestrator's
// figures against it, and the size against what was asked for.
//
// It reads parameter sets and the beginnings of slices only, so that it costs a small
// part of a decode, and says the same number as a decoder for every stream that a
// decoder takes without complaint. It does not look at the pictures themselves, and
// an edit list that hides pictures of an MP4 file is not applied. server/gateway calls
// it for every segment where -localVerify is on; its input comes from peers.
package verify
