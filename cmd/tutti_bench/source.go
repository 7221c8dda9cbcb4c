package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// piece is one segment of the input.
type piece struct {
	data     []byte
	duration time.Duration
}

// source reads the input, or makes one.
func source(ctx context.Context, s settings, stderr io.Writer) ([]piece, error) {
	var pieces []piece
	var err error
	switch {
	case s.in == "":
		pieces, err = generated(ctx, stderr)
	case strings.HasSuffix(s.in, ".m3u8"):
		pieces, err = playlist(s.in)
	default:
		pieces, err = cut(ctx, s.in)
	}
	if err != nil {
		return nil, err
	}
	if len(pieces) == 0 {
		return nil, fmt.Errorf("%s holds no segments", s.in)
	}
	if s.segments > 0 {
		// A short input is given again from its start.
		for n := len(pieces); len(pieces) < s.segments; {
			pieces = append(pieces, pieces[len(pieces)%n])
		}
		pieces = pieces[:s.segments]
	}
	return pieces, nil
}

// playlist reads an HLS media playlist and its segments, which are in the same folder.
func playlist(path string) ([]piece, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := parsePlaylist(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var pieces []piece
	for _, e := range entries {
		name := e.name
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece{data, e.duration})
	}
	return pieces, nil
}

type entry struct {
	name     string
	duration time.Duration
}

var errNoPlaylist = errors.New("this is no HLS media playlist")

// parsePlaylist reads the segments of an HLS media playlist.
func parsePlaylist(r io.Reader) ([]entry, error) {
	lines := bufio.NewScanner(r)
	if !lines.Scan() || !strings.HasPrefix(strings.TrimPrefix(lines.Text(), "\ufeff"), "#EXTM3U") {
		return nil, errNoPlaylist
	}
	var entries []entry
	var next time.Duration
	for n := 2; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		info, isInfo := strings.CutPrefix(line, "#EXTINF:")
		switch {
		case strings.HasPrefix(line, "#EXT-X-STREAM-INF"):
			return nil, errors.New("this is a playlist of playlists: name one of those in it")
		case isInfo:
			number, _, _ := strings.Cut(info, ",")
			seconds, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			// Said so that "not a number" is refused too.
			if err != nil || !(seconds >= 0 && seconds <= 300) {
				return nil, fmt.Errorf("line %d: %q is no duration between 0 and 300 seconds", n, number)
			}
			next = time.Duration(math.Round(seconds * float64(time.Second)))
		case line == "" || strings.HasPrefix(line, "#"):
		default:
			entries = append(entries, entry{line, next})
			next = 0
		}
	}
	return entries, lines.Err()
}

// cut takes a media file apart at its key frames.
func cut(ctx context.Context, path string) ([]piece, error) {
	src, err := clip.OpenFile(path, 2*time.Second, false)
	if err != nil {
		return nil, err
	}
	return collect(ctx, src)
}

func collect(ctx context.Context, src clip.Source) ([]piece, error) {
	defer src.Close()
	var pieces []piece
	for {
		seg, err := src.Next(ctx)
		if errors.Is(err, io.EOF) {
			return pieces, nil
		}
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece{seg.Data, seg.Duration})
	}
}
