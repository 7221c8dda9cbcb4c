package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// The picture: blocks of light and dark spell its number, over a pattern that moves.
const (
	width, height = 320, 192
	block         = 16
	digits        = 12 // bits of a number
	// keyEvery is the number of frames from one key frame to the next.
	keyEvery = 15
	fps      = 30
)

// draw draws picture n in shades of gray.
func draw(n int) []byte {
	p := make([]byte, width*height)
	for y := range height {
		for x := range width {
			p[y*width+x] = byte(64 + (x+y+3*n)%128)
		}
	}
	for bit := range digits {
		shade := byte(16)
		if n>>bit&1 == 1 {
			shade = 235
		}
		for y := range block {
			for x := range block {
				p[y*width+bit*block+x] = shade
			}
		}
	}
	return p
}

// number reads a picture's number.
func number(picture []byte) (n int) {
	for bit := range digits {
		if picture[block/2*width+bit*block+block/2] > 128 {
			n |= 1 << bit
		}
	}
	return n
}

// encode makes an H.264 stream of count pictures, and returns their access units in Annex B form.
func (s settings) encode(ctx context.Context, count int) ([][]byte, error) {
	var in bytes.Buffer
	for n := range count {
		in.Write(draw(n))
	}
	out, err := s.convert(ctx, &in, "-f", "rawvideo", "-pix_fmt", "gray", "-s", fmt.Sprintf("%dx%d", width, height), "-r",
		fmt.Sprint(fps), "-i", "pipe:0", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset",
		"ultrafast", "-tune", "zerolatency",
		"-profile:v", "baseline", "-g", fmt.Sprint(keyEvery), "-x264-params", "aud=1:scenecut=0", "-f", "h264", "pipe:1")
	if err != nil {
		return nil, err
	}
	delimiter := []byte{0, 0, 0, 1, 9}
	var units [][]byte
	for _, u := range bytes.Split(out, delimiter)[1:] {
		units = append(units, append(bytes.Clone(delimiter), u...))
	}
	if len(units) != count {
		return nil, fmt.Errorf("%d pictures were encoded, want %d", len(units), count)
	}
	return units, nil
}

// numbers decodes access units and reads the number of each picture.
func (s settings) numbers(ctx context.Context, units [][]byte) ([]int, error) {
	out, err := s.convert(ctx, bytes.NewBuffer(bytes.Join(units, nil)), "-f", "h264", "-r", fmt.Sprint(fps),
		"-i", "pipe:0", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "gray", "pipe:1")
	if err != nil {
		return nil, err
	}
	if len(out)%(width*height) != 0 {
		return nil, errors.New("the decoded pictures have another size")
	}
	var list []int
	for ; len(out) > 0; out = out[width*height:] {
		list = append(list, number(out))
	}
	return list, nil
}

func (s settings) convert(ctx context.Context, in *bytes.Buffer, args ...string) ([]byte, error) {
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(ctx, s.ffmpeg, append([]string{"-nostdin", "-v", "error"}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("ffmpeg: %w: %s", err, problems.String())
	}
	return out.Bytes(), nil
}
