// Package tsfix repairs MPEG-TS segments before they are demuxed.
//
// Some sources put SEI units after the first slice of a picture. libav's parser
// then takes the rest of the picture for a new one and loses its times. LateSEI
// moves such units to just before the first slice. Others send the program tables after
// the media; LateTables repeats them in front. ClockJumps takes jumps out of the clock.
//
// The input is hostile; nothing here trusts a length. Only transcoder/libav calls
// this package.
package tsfix
