// Package container works on the bytes of media files where libav does not: it repairs MPEG-TS
// segments before they are demuxed, and moves the index of an MP4 file to its front, so that a
// player can start before it has the whole file.
//
// Some sources put SEI units after the first slice of a frame. libav's parser
// then takes the rest of the frame for a new one and loses its times. LateSEI
// moves such units to just before the first slice. Others send PAT and PMT after the
// media; PrependPSI repeats them in front. ClockJumps removes jumps of the clock.
//
// The input is hostile; nothing here trusts a length. It is no general parser of either
// container. Only transcoder/libav calls this package.
package container
