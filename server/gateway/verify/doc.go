// Package verify determines what a rendition contains, without decoding it: how many frames of
// which size. A gateway that pays per pixel compares this with the orchestrator's claim, and the
// size with the requested one.
//
// It reads only parameter sets and slice headers, so that it costs a small part of a decode, and
// counts like a decoder for every stream that a decoder accepts without complaint. It does not look
// at the frames themselves, and ignores edit lists that hide frames of an MP4 file.
// server/gateway calls it for every segment with -localVerify; its input comes from peers.
//
// sniff.go and the files of that prefix read a segment's container, codecs and frame size, and
// whether it has any frame, from a few kilobytes of headers. The results are hints: what cannot
// be read stays unknown. server/gateway calls it for every pushed segment, to notice a changed
// source without calling a media worker each time.
//
// container_ts.go, box.go, pes.go and program.go walk MPEG-TS packets and MP4 boxes. They never fail: what
// does not look like it should is passed over.
//
// avcsps.go, avcslice.go and h26x_hevc.go read parameter sets and the beginnings of slices, as far as
// they tell where frames begin and how large they are. What they cannot read they refuse.
package verify
