// Package mediafile is what the engine knows of media files and segments without libav: their bytes, and the rules
// about time in them. It decodes nothing and is no general parser of a container; the input is hostile, and nothing
// here trusts a length. Only transcoder/libav calls it.
//
// Bytes: MPEG-TS segments are repaired before they are demuxed. Some sources put SEI units after the first slice of a
// frame. libav's parser then takes the rest of the frame for a new one and loses its times. LateSEI moves such units to
// just before the first slice. Others send PAT and PMT after the media; PrependPSI repeats them in front. ClockJumps
// removes jumps of the clock. MoovFirst moves the index of an MP4 file to its front, so that a player can start before
// it has the whole file.
//
// Time: how broken times are repaired, which output frames a frame rate asks for, what a clip keeps, where key frames
// are forced, and how packets are ordered for a container. This is arithmetic on ticks of a time base, so that a device
// of any kind follows the same rules.
//
// A SoundMeter measures for how long packets of sound play, by what the codec's own bytes say: a container may state
// any duration, and work on sound is paid by its length. Where a packet cannot be read, its bytes bound the time from
// below by the codec's highest rate.
package mediafile
