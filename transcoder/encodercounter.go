package transcoder

import "context"

// EncoderLimiter is an engine that can find out how many hardware encoders it may
// have open at once. Drivers of consumer GPUs set such a number, for all
// processes of the machine together, and tell it only by refusing the next one.
type EncoderLimiter interface {
	// EncoderLimit opens encoders until the driver refuses one, or until there are
	// atMost, and closes them again. It returns how many were open; atMost means
	// that no limit was found. Encoders that others have open are not in it. An
	// engine without hardware encoders answers 0. The error is a fault.
	EncoderLimit(ctx context.Context, atMost int) (int, error)
}
