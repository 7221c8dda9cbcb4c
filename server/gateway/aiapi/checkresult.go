package aiapi

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

var (
	errNoImage = errors.New("it is not an image")
	errNoVideo = errors.New("it is not a video")
	errNoSound = errors.New("it is not audio")
	errCutOff  = errors.New("it is cut off or damaged")
)

// checkResult checks that a result is what its pipeline makes. It reads headers and the file's
// structure and decodes nothing.
func checkResult(id capability.ID, data []byte) error {
	err := checkImage(data)
	switch {
	case id == capability.TextToSpeech:
		err = checkSound(data)
	case id == capability.ImageToVideo && err != nil:
		err = checkVideo(data) // or frames
	}
	if err == nil {
		return nil
	}
	return &fault.Fault{Code: fault.ResultUnusable, Op: "check result", Detail: err.Error(), Err: err}
}

func checkImage(data []byte) error {
	width, height, err := pipeline.ImageSize(data)
	if err != nil || width < 1 || height < 1 {
		return errNoImage
	}
	if strings.HasPrefix(string(data[:min(len(data), len(pngMagic))]), pngMagic) {
		return checkPNG(data[len(pngMagic):])
	}
	return nil
}

const (
	pngMagic = "\x89PNG\r\n\x1a\n"
	// pngAround is the size of a chunk without its data: length, name, checksum.
	pngAround = 12
)

// checkPNG walks the chunks of a PNG, the network's image format, to its end.
func checkPNG(data []byte) error {
	pixels := false
	for len(data) >= pngAround {
		size := int64(binary.BigEndian.Uint32(data))
		if size > int64(len(data)-pngAround) {
			return errCutOff
		}
		chunk, sum := data[4:8+size], data[8+size:]
		if crc32.ChecksumIEEE(chunk) != binary.BigEndian.Uint32(sum) {
			return errCutOff
		}
		switch string(chunk[:4]) {
		case "IDAT":
			pixels = pixels || size > 0
		case "IEND":
			if pixels {
				return nil
			}
			return errCutOff
		}
		data = sum[4:]
	}
	return errCutOff
}

func checkVideo(data []byte) error {
	if http.DetectContentType(data) == "video/webm" {
		return nil
	}
	if !verify.IsMP4(data) {
		return errNoVideo
	}
	if verify.ChildBox(data, "moov") == nil || verify.ChildBox(data, "mdat") == nil {
		return errCutOff
	}
	return nil
}

// checkSound accepts WAV with samples, and data that begins like another audio format.
func checkSound(data []byte) error {
	switch kind := http.DetectContentType(data); {
	case kind == "audio/wave":
		return checkWAV(data[12:])
	case strings.HasPrefix(kind, "audio/"), kind == "application/ogg", kind == "video/webm":
		return nil
	case strings.HasPrefix(string(data[:min(len(data), 4)]), "fLaC"), verify.IsMP4(data), isFrames(data):
		return nil
	}
	return errNoSound
}

// isFrames reports whether data begins with a frame of MPEG audio (MP3 or AAC).
func isFrames(data []byte) bool { return len(data) > 4 && data[0] == 0xff && data[1]&0xe0 == 0xe0 }

// checkWAV looks for samples. The announced length is ignored: streaming writers do not know it.
func checkWAV(data []byte) error {
	const header = 8
	for len(data) > header {
		size := int64(binary.LittleEndian.Uint32(data[4:]))
		if string(data[:4]) == "data" {
			return nil
		}
		if size += size % 2; size >= int64(len(data)-header) {
			break
		}
		data = data[header+size:]
	}
	return errCutOff
}
