package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// rung is one rendition of the ladder.
type rung struct {
	name          string
	width, height int
	bitrate       int
}

// ladder is sized so that a 16:9 source gives exactly these sizes on both sides.
var ladder = []rung{
	{"720p", 1280, 720, 3_000_000},
	{"480p", 854, 480, 1_600_000},
	{"360p", 640, 360, 800_000},
}

// gopSeconds is the key frame distance asked of both sides.
const gopSeconds = 2

// profile is a rung as a gateway takes it.
type profile struct {
	Name    string `json:"name"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Bitrate int    `json:"bitrate"`
	GOP     string `json:"gop"`
	Profile string `json:"profile"`
}

func jsonLadder() []profile {
	var list []profile
	for _, r := range ladder {
		list = append(list, profile{r.name, r.width, r.height, r.bitrate, fmt.Sprint(gopSeconds), "h264high"})
	}
	return list
}

// profiles writes the ladder as a tutti transcoding-options file.
func (s settings) profiles() (string, error) {
	text, err := json.Marshal(jsonLadder())
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.dir, "ladder.json")
	return path, os.WriteFile(path, text, 0o600)
}

// peerArgs is one ffmpeg process that makes the whole ladder in one decode.
func (s settings) peerArgs(in, outPrefix string, threads int) []string {
	args := []string{"-nostdin", "-v", "error", "-y"}
	if threads > 0 {
		args = append(args, "-threads", fmt.Sprint(threads), "-filter_complex_threads", fmt.Sprint(threads))
	}
	split := fmt.Sprintf("[0:v]split=%d", len(ladder))
	chains := ""
	for i, r := range ladder {
		split += fmt.Sprintf("[s%d]", i)
		chains += fmt.Sprintf(";[s%d]scale=%d:%d:flags=bicubic[v%d]", i, r.width, r.height, i)
	}
	args = append(args, "-i", in, "-filter_complex", split+chains)
	for i, r := range ladder {
		args = append(args, "-map", fmt.Sprintf("[v%d]", i), "-map", "0:a", "-c:a", "copy",
			"-c:v", "libx264", "-preset", s.preset, "-profile:v", "high", "-bf", "3", "-g", fmt.Sprint(30*gopSeconds),
			"-b:v", fmt.Sprint(r.bitrate), "-minrate", fmt.Sprint(r.bitrate), "-maxrate", fmt.Sprint(r.bitrate), "-bufsize",
			fmt.Sprint(r.bitrate),
			"-pix_fmt", "yuv420p", "-fps_mode", "passthrough")
		if threads > 0 {
			args = append(args, "-threads", fmt.Sprint(threads))
		}
		args = append(args, "-copyts", "-muxdelay", "0", "-muxpreload", "0", "-f", "mpegts", outPrefix+r.name+".ts")
	}
	return args
}

// peer transcodes every segment once, one ffmpeg process after another, on
// parallel streams, and returns the wall and CPU time of them all.
func (s settings) peer(ctx context.Context, segments, parallel, threads int) (wall, cpu time.Duration, err error) {
	var (
		mu sync.Mutex
		wg sync.WaitGroup
	)
	begin := time.Now()
	for stream := range parallel {
		wg.Go(func() {
			for i := range segments {
				prefix := filepath.Join(s.dir, fmt.Sprintf("peer%d-%d-", stream, i))
				cmd := exec.CommandContext(ctx, s.ffmpeg, s.peerArgs(s.segment(i), prefix, threads)...)
				text, e := cmd.CombinedOutput()
				mu.Lock()
				if e != nil {
					err = fmt.Errorf("ffmpeg: %w: %s", e, text)
				} else {
					cpu += used(cmd.ProcessState.SysUsage())
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return time.Since(begin), cpu, err
}

func used(usage any) time.Duration {
	u, ok := usage.(*syscall.Rusage)
	if !ok {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
