package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"runtime"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// fetcherCommand makes this program a transcoder as those of the existing network are:
// it says nothing of itself, so that it gets no segment with its notice, and fetches
// each by HTTP/1.1.
const fetcherCommand = "fetcher"

// fetchTime is the network's for a whole segment.
const fetchTime = 30 * time.Second

// fetcher is that transcoder. Besides its renditions it says how long the codecs took,
// which measures and changes nothing.
type fetcher struct {
	orch            string
	engine          *libav.Engine
	inputs, results *http.Client
}

func runFetcher(ctx context.Context, orch, preset string) error {
	engine, err := libav.New(libav.Options{Device: "cpu", Preset: preset, Cores: runtime.NumCPU()})
	if err != nil {
		return err
	}
	defer engine.Close()
	trust := &tls.Config{InsecureSkipVerify: true}
	f := &fetcher{orch: orch, engine: engine,
		inputs: &http.Client{Transport: &http.Transport{TLSClientConfig: trust.Clone()}, Timeout: fetchTime},
		results: &http.Client{Transport: &http.Transport{TLSClientConfig: trust.Clone(), ForceAttemptHTTP2: true},
			Timeout: fetchTime},
	}
	conn, err := grpc.NewClient("passthrough:///"+orch, grpc.WithTransportCredentials(credentials.NewTLS(trust)))
	if err != nil {
		return err
	}
	defer conn.Close()
	offer := capability.Offer(capability.SoftwareTranscoder(), "0.8.10")
	stream, err := rpc.NewTranscoderClient(conn).RegisterTranscoder(ctx, &rpc.RegisterRequest{
		Secret: secret, Capacity: 64, Capabilities: rpc.FromCapabilities(offer),
	})
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		notice, err := stream.Recv()
		if err != nil {
			return err
		}
		if notice.GetUrl() != "" {
			wg.Go(func() { f.do(ctx, notice) })
		}
	}
}

// do does one segment. One that fails is not brought: the bench counts it as failed.
func (f *fetcher) do(ctx context.Context, notice *rpc.NotifySegment) {
	if err := f.segment(ctx, notice); err != nil {
		fmt.Println("fetcher:", err)
	}
}

func (f *fetcher) segment(ctx context.Context, notice *rpc.NotifySegment) error {
	meta, err := rpc.FromSegData(notice.GetSegData())
	if err != nil {
		return err
	}
	resp, err := f.inputs.Get(notice.GetUrl())
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	res, err := f.engine.Transcode(ctx, &core.TranscodeJob{
		Session: core.SessionID(meta.Token.GetSessionId()), Manifest: meta.Manifest, Number: meta.Number,
		Input: data, Duration: meta.Duration, Profiles: meta.Profiles, Origin: "offchain",
	})
	if err != nil {
		return err
	}
	return f.bring(ctx, notice.GetTaskId(), res)
}

func (f *fetcher) bring(ctx context.Context, task int64, res *core.TranscodeResult) error {
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	for _, out := range res.Renditions {
		w, err := parts.CreatePart(textproto.MIMEHeader{
			"Content-Type": {"video/mp2t"}, "Content-Length": {strconv.Itoa(len(out.Data))},
			"Pixels": {strconv.FormatInt(int64(out.Pixels), 10)},
		})
		if err != nil {
			return err
		}
		if _, err := w.Write(out.Data); err != nil {
			return err
		}
	}
	if err := parts.Close(); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+f.orch+"/transcodeResults", &body)
	if err != nil {
		return err
	}
	req.Header = http.Header{
		"Authorization": {"Livepeer-Transcoder-1.0"}, "Credentials": {secret}, "TaskId": {strconv.FormatInt(task, 10)},
		"Content-Type":      {"multipart/mixed; boundary=" + parts.Boundary()},
		"Pixels":            {strconv.FormatInt(int64(res.DecodedPixels), 10)},
		rpc.MediaTimeHeader: {rpc.FormatMediaTime(res.MediaTime)},
	}
	resp, err := f.results.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
