// Package sound measures for how long packets of sound play, by what the codec's own
// bytes say: a container may state any duration, any clock and any sample rate, and work
// on sound is paid by its length. It decodes nothing and reads no container. Package
// libav demuxes and calls it for every packet; the bytes are hostile.
//
// Where a packet cannot be read, its bytes bound the time from below by the codec's
// highest rate.
package sound
