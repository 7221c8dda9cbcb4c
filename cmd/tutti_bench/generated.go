package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// The generated input: the benchmark's usual one minute of 1080p30, of which ten
// segments differ.
const (
	generatedSegments = 30
	generatedDistinct = 10
	generatedName     = "1080p30-v1"
)

// generated returns the generated input. It is made at the first use, which
// takes a while, and kept in the user's cache directory.
func generated(ctx context.Context, stderr io.Writer) ([]piece, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return generate(ctx, stderr)
	}
	dir := filepath.Join(base, "tutti", "bench", generatedName)
	list := filepath.Join(dir, "source.m3u8")
	pieces, err := playlist(list)
	if err == nil && len(pieces) == generatedDistinct {
		return repeated(pieces), nil
	}
	if pieces, err = generate(ctx, stderr); err != nil {
		return nil, err
	}
	if err := keep(dir, list, pieces[:generatedDistinct]); err != nil {
		fmt.Fprintln(stderr, "the generated clip is not kept:", err)
	}
	return pieces, nil
}

func generate(ctx context.Context, stderr io.Writer) ([]piece, error) {
	fmt.Fprintln(stderr, "making a 1080p30 clip, once …")
	src, err := clip.Generate(clip.Options{
		Width: 1920, Height: 1080, FPSNum: 30, FPSDen: 1, Segment: 2 * time.Second,
		Segments: generatedDistinct, Bitrate: 6_000_000, Noise: 10,
	})
	if err != nil {
		return nil, fmt.Errorf("make the clip: %w", err)
	}
	pieces, err := collect(ctx, src)
	if err != nil {
		return nil, fmt.Errorf("make the clip: %w", err)
	}
	return repeated(pieces), nil
}

func repeated(pieces []piece) []piece {
	var out []piece
	for i := range generatedSegments {
		out = append(out, pieces[i%len(pieces)])
	}
	return out
}

// keep writes the segments and, last, the playlist that makes them valid.
func keep(dir, list string, pieces []piece) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n")
	for i, p := range pieces {
		name := fmt.Sprintf("%02d.ts", i)
		if err := os.WriteFile(filepath.Join(dir, name), p.data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&b, "#EXTINF:%.3f,\n%s\n", p.duration.Seconds(), name)
	}
	b.WriteString("#EXT-X-ENDLIST\n")
	return os.WriteFile(list, []byte(b.String()), 0o644)
}
