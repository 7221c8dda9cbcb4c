// Package whipclient publishes live video by WHIP and watches it by WHEP, as browsers do: pictures in H.264 and sound
// in Opus, whole on both sides. It encodes and decodes nothing.
//
// The demonstration and the tests of live video use it. The gateway itself does not.
package whipclient
