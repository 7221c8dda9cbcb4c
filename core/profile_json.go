package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// maxProfilesJSON bounds the text of a list of profiles, in bytes.
const maxProfilesJSON = 256 << 10

// JSONProfile is a profile as gateways take it: in the -transcodingOptions file,
// the Livepeer-Transcode-Configuration header and a webhook's reply. Keys match
// without regard to case; unknown keys are ignored, as everywhere in the network.
type JSONProfile struct {
	Name   string `json:"name"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	// Bitrate in bits per second, as a number or as text with an optional k.
	Bitrate JSONBitrate `json:"bitrate"`
	FPS     uint32      `json:"fps"`
	FPSDen  uint32      `json:"fpsDen"`
	// Profile is none, H264Baseline, H264Main, H264High or H264ConstrainedHigh.
	Profile string `json:"profile"`
	// GOP is a number of seconds as text, or "intra".
	GOP JSONText `json:"gop"`
	// Encoder is H.264, HEVC, VP8 or VP9.
	Encoder    string `json:"encoder"`
	Quality    uint32 `json:"quality"`
	ColorDepth int    `json:"colorDepth"`
	// ChromaFormat is the number on the wire: 0 is 4:2:0, 1 is 4:2:2, 2 is 4:4:4.
	ChromaFormat int `json:"chromaFormat"`
}

// JSONBitrate reads 1000000, "1000000" and "1000k" as the same bitrate.
type JSONBitrate int

// UnmarshalJSON reads the number or the text.
func (b *JSONBitrate) UnmarshalJSON(data []byte) error {
	var text JSONText
	if err := text.UnmarshalJSON(data); err != nil {
		return err
	}
	n, err := ParseBitrate(string(text))
	if err != nil {
		return err
	}
	*b = JSONBitrate(n)
	return nil
}

// JSONText reads a JSON text, a number or null as text.
type JSONText string

// UnmarshalJSON reads the text or the number.
func (t *JSONText) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '"' {
		var n json.Number
		if err := json.Unmarshal(data, &n); err != nil {
			return err
		}
		*t = JSONText(n)
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// ParseBitrate reads bits per second: "1000000" or "1000k". Empty is 0, which
// leaves rate control to the encoder.
func ParseBitrate(text string) (int, error) {
	digits, scale := strings.TrimSpace(text), 1.0
	if digits == "" {
		return 0, nil
	}
	if cut, ok := strings.CutSuffix(strings.ToLower(digits), "k"); ok {
		digits, scale = cut, 1000
	}
	n, err := strconv.ParseFloat(digits, 64)
	if n *= scale; err != nil || !(n >= 0 && n <= math.MaxInt32) {
		return 0, fmt.Errorf("bitrate %.32q is not a number of bits per second", text)
	}
	return int(n), nil
}

// ParseProfilesJSON reads a JSON list of profiles, or one profile. Errors are
// faults InvalidProfiles or one of the TranscoderInvalid… and
// TranscoderUnrecognized… codes, with the profile's place in the detail.
//
// The container is left at its zero value: renditions come in the container of
// the input, which the gateway sets.
func ParseProfilesJSON(data []byte) ([]Profile, error) {
	const op = "read profiles"
	if len(data) > maxProfilesJSON {
		return nil, fault.New(
			fault.InvalidProfiles,
			op,
			fmt.Sprintf("text of %d bytes is longer than %d", len(data), maxProfilesJSON),
		)
	}
	var in []JSONProfile
	if data = bytes.TrimSpace(data); bytes.HasPrefix(data, []byte("{")) {
		in = make([]JSONProfile, 1)
		if err := decodeOne(data, &in[0]); err != nil {
			return nil, badProfiles(op, err)
		}
	} else if err := decodeOne(data, &in); err != nil {
		return nil, badProfiles(op, err)
	}
	return FromJSONProfiles(in)
}

var errTrailing = errors.New("text after the end of the JSON value")

// decodeOne reads exactly one JSON value.
func decodeOne(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%w, at byte %d", errTrailing, d.InputOffset())
	}
	return nil
}

func badProfiles(op string, err error) error {
	return &fault.Fault{Code: fault.InvalidProfiles, Op: op, Detail: err.Error(), Err: err}
}

// FromJSONProfiles checks a list of profiles and turns it into the domain's.
func FromJSONProfiles(in []JSONProfile) ([]Profile, error) {
	if len(in) > maxProfileList {
		return nil, tooManyProfiles("read profiles")
	}
	out := make([]Profile, 0, len(in))
	for i, j := range in {
		p, code, detail := j.profile()
		if code != "" {
			return nil, fault.New(code, "read profiles", fmt.Sprintf("profile %d: %s", i+1, detail))
		}
		out = append(out, p)
	}
	return out, nil
}

// profile returns a code and a detail when a field is wrong.
func (j JSONProfile) profile() (p Profile, code fault.Code, detail string) {
	p = Profile{
		Name: j.Name, Width: j.Width, Height: j.Height, Bitrate: int(j.Bitrate),
		FPS: Framerate{Num: j.FPS, Den: j.FPSDen}, Quality: int(j.Quality),
		ColorDepth: j.ColorDepth, Chroma: ChromaFormat(j.ChromaFormat),
	}
	if !sideOK(j.Width) || !sideOK(j.Height) || j.Width+j.Height == 0 {
		return p, fault.TranscoderInvalidResolution, fmt.Sprintf("width %d, height %d", j.Width, j.Height)
	}
	var ok bool
	if p.Profile, ok = parseH264Profile(j.Profile); !ok {
		return p, fault.TranscoderUnrecognizedProfile, fmt.Sprintf("profile %.64q", j.Profile)
	}
	if p.Encoder, ok = parseEncoder(j.Encoder); !ok {
		return p, fault.TranscoderUnrecognizedProfile, fmt.Sprintf("encoder %.64q", j.Encoder)
	}
	if p.GOP, ok = ParseGOP(string(j.GOP)); !ok {
		return p, fault.TranscoderInvalidGOP, fmt.Sprintf("gop %.64q", string(j.GOP))
	}
	switch {
	case j.Quality > maxQuality:
		return p, fault.InvalidProfiles, fmt.Sprintf("quality %d is above %d", j.Quality, maxQuality)
	case j.ColorDepth < 0 || j.ColorDepth > 8:
		return p, fault.InvalidProfiles, fmt.Sprintf("colorDepth %d is not 0 to 8", j.ColorDepth)
	case p.Chroma < Chroma420 || p.Chroma > Chroma444:
		return p, fault.InvalidProfiles, fmt.Sprintf("chromaFormat %d is not 0 to 2", j.ChromaFormat)
	case !nameOK(j.Name):
		return p, fault.InvalidProfiles, fmt.Sprintf("name %.64q cannot be part of a path", j.Name)
	}
	if p.Name == "" {
		p.Name = p.DefaultName("custom")
	}
	return p, "", ""
}

// Limits of a profile's numbers. A side beyond any encoder's is clamped by the
// transcoder; this only keeps nonsense out.
const (
	maxSide    = 1 << 16
	maxQuality = 63
	maxName    = 128
	maxGOP     = time.Hour
)

func sideOK(n int) bool { return 0 <= n && n <= maxSide }

// nameOK holds for names that may stand in a storage path and a playlist.
func nameOK(name string) bool {
	return len(name) <= maxName && name != "." && name != ".." &&
		!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '/' || r == '\\' })
}

func parseH264Profile(text string) (H264Profile, bool) {
	switch strings.ToLower(text) {
	case "", "none":
		return ProfileDefault, true
	case "h264baseline":
		return ProfileBaseline, true
	case "h264main":
		return ProfileMain, true
	case "h264high":
		return ProfileHigh, true
	case "h264constrainedhigh":
		return ProfileConstrainedHigh, true
	}
	return 0, false
}

func parseEncoder(text string) (VideoCodec, bool) {
	switch strings.ToUpper(text) {
	case "", "H.264":
		return CodecH264, true
	case "HEVC":
		return CodecHEVC, true
	case "VP8":
		return CodecVP8, true
	case "VP9":
		return CodecVP9, true
	}
	return 0, false
}

// ParseGOP reads a key frame interval: seconds as text ("2", "0.5"), "0" or ""
// for the encoder's own, "intra" for key frames only. Negative and other texts
// are refused. The wire carries milliseconds, so shorter parts are rounded.
func ParseGOP(text string) (GOP, bool) {
	switch text {
	case "", "0":
		return 0, true
	case "intra":
		return GOPIntra, true
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s >= 0 && s <= maxGOP.Seconds()) {
		return 0, false
	}
	ms := math.Round(s * 1000)
	if s > 0 && ms == 0 {
		ms = 1
	}
	return GOP(time.Duration(ms) * time.Millisecond), true
}
