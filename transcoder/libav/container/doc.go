// Package container works on the bytes of media files where libav does not: it repairs MPEG-TS
// segments before they are demuxed, and moves the index of an MP4 file to its front, so that a
// player can start before it has the whole file.
//
// Some sources put SEI units after the first slice of a picture. libav's parser
// then takes the rest of the picture for a new one and loses its times. LateSEI
// moves such units to just before the first slice. Others send the program tables after
// the media; LateTables repeats them in front. ClockJumps takes jumps out of the clock.
//
// The input is hostile; nothing here trusts a length. It is no general parser of either
// container. Only transcoder/libav calls this package.
package container
