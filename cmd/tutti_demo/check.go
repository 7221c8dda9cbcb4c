package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/llama"
	"github.com/tuttinode/tutti/test/pushclient"
	"github.com/tuttinode/tutti/test/tinymodel"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

var (
	// errWrong: an answer came, and it is not what was asked for.
	errWrong = errors.New("a wrong answer")
	// errStatus: an HTTP request was refused.
	errStatus = errors.New("answered")
)

// checkChat asks the model for an answer. One that counts must write the right numbers.
func checkChat(ctx context.Context, n *node, m *model, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	const tokens = 5
	text, err := chat(ctx, http.DefaultClient, n.gateway, m.id, tokens)
	if err != nil {
		return err
	}
	if want := tinymodel.Text(tokens); m.id == llama.ModelID && text != want {
		return fmt.Errorf("%w: the model says %q, want %q", errWrong, text, want)
	}
	fmt.Fprintf(out, "ok: %s, %s, says %q\n", m.id, m.how, text)
	return nil
}

// check pushes the source as fast as the node takes it and checks every rendition
// and the playlists. The error says what broke.
func check(ctx context.Context, n *node, source clip.Source, segments int, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	profiles, err := core.ParsePresets(ladder)
	if err != nil {
		return err
	}
	done := 0
	for done < segments {
		seg, err := source.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		answer, err := push(ctx, n.gateway, stream, seg)
		if err != nil {
			return err
		}
		if err := checkAll(ctx, seg, answer.Renditions, profiles); err != nil {
			return fmt.Errorf("segment %d: %w", seg.Number, err)
		}
		fmt.Fprint(out, line(seg, answer))
		done++
	}
	if done == 0 {
		return errors.New("the source gave no segment")
	}
	if err := playlists(ctx, n.gateway, stream, profiles, done); err != nil {
		return err
	}
	fmt.Fprintf(out, "ok: %d segments, %d renditions each; frames, times, sizes and sound are as asked, playlists "+
		"list them\n", done, len(profiles))
	return nil
}

func checkAll(ctx context.Context, seg clip.Segment, renditions []pushclient.Rendition, profiles []core.Profile) error {
	if len(renditions) != len(profiles) {
		return fmt.Errorf("%w: %d renditions, want %d", errWrong, len(renditions), len(profiles))
	}
	source, err := clip.ReadRendition(ctx, seg.Data)
	if err != nil {
		return err
	}
	var problems []error
	for i, r := range renditions {
		if r.Name != profiles[i].Name {
			problems = append(problems, fmt.Errorf("%w: rendition %d is called %q, want %q", errWrong, i, r.Name,
				profiles[i].Name))
		}
		problems = append(problems, source.Rendition(ctx, r.Data, profiles[i]))
	}
	return errors.Join(problems...)
}

// playlists reads what a player would.
func playlists(ctx context.Context, gateway, stream string, profiles []core.Profile, segments int) error {
	master, err := get(ctx, fmt.Sprintf("%s/stream/%s.m3u8", gateway, stream))
	if err != nil {
		return err
	}
	for _, p := range profiles {
		if !strings.Contains(master, p.Name) {
			return fmt.Errorf("%w: the master playlist does not list %s", errWrong, p.Name)
		}
		media, err := get(ctx, fmt.Sprintf("%s/stream/%s/%s.m3u8", gateway, stream, p.Name))
		if err != nil {
			return err
		}
		if got := strings.Count(media, "#EXTINF"); got < min(segments, 3) {
			return fmt.Errorf("%w: the playlist of %s lists %d segments of %d", errWrong, p.Name, got, segments)
		}
	}
	return nil
}

func get(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %w %s", url, errStatus, resp.Status)
	}
	return string(body), nil
}
