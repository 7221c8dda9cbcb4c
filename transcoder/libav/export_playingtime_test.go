package libav

import (
	"context"
	"time"
)

// Stated is what a file's container states.
func Stated(file []byte) time.Duration {
	in, err := openInput(file)
	if err != nil {
		return 0
	}
	defer in.close()
	return in.duration()
}

// SoundLength is for how long its sound plays by its packets, 0 where that is not known.
func SoundLength(file []byte) time.Duration {
	in, err := openInput(file)
	if err != nil {
		return 0
	}
	defer in.close()
	d, _ := soundLength(context.Background(), in, file)
	return d
}
