package core

import (
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// Preset is a profile that the network knows by name.
type Preset struct {
	// ID is the first four bytes of keccak(name), as signatures have it.
	ID      [4]byte
	Profile Profile
	// Unlisted presets have an ID but cannot be asked for by name.
	Unlisted bool
}

// DefaultPresets is the ladder of a gateway without -transcodingOptions.
const DefaultPresets = "P240p30fps16x9,P360p30fps16x9"

// maxProfileList bounds a list of presets or JSON profiles. The network's
// transcoders take 10 renditions.
const maxProfileList = 64

// Presets lists the network's presets from large to small. The slice is the
// caller's.
func Presets() []Preset {
	return []Preset{
		preset(0xa7ac137a, "P720p60fps16x9", 1280, 720, 6_000_000, 60),
		preset(0x49d54ea9, "P720p30fps16x9", 1280, 720, 4_000_000, 30),
		preset(0xe4a64019, "P720p25fps16x9", 1280, 720, 3_500_000, 25),
		preset(0x79332fe7, "P720p30fps4x3", 960, 720, 3_500_000, 30),
		preset(0x5ecf4b52, "P576p30fps16x9", 1024, 576, 1_500_000, 30),
		preset(0x8b1843d6, "P576p25fps16x9", 1024, 576, 1_500_000, 25),
		preset(0x93c717e7, "P360p30fps16x9", 640, 360, 1_200_000, 30),
		preset(0x7cd40fc7, "P360p25fps16x9", 640, 360, 1_000_000, 25),
		preset(0xb60382a0, "P360p30fps4x3", 480, 360, 1_000_000, 30),
		preset(0xc0a6517a, "P240p30fps16x9", 426, 240, 600_000, 30),
		preset(0x1301a7d0, "P240p25fps16x9", 426, 240, 600_000, 25),
		preset(0xd435c53a, "P240p30fps4x3", 320, 240, 600_000, 30),
		preset(0xfca40bf9, "P144p30fps16x9", 256, 144, 400_000, 30),
		unlisted(preset(0x03f01d1f, "P144p25fps16x9", 256, 144, 400_000, 25)),
	}
}

func preset(id uint32, name string, width, height, bitrate int, fps uint32) Preset {
	return Preset{
		ID: [4]byte{byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)},
		Profile: Profile{
			Name: name, Width: width, Height: height, Bitrate: bitrate,
			FPS: Framerate{Num: fps},
		},
	}
}

func unlisted(p Preset) Preset {
	p.Unlisted = true
	return p
}

// PresetByName finds a preset that may be asked for by name.
func PresetByName(name string) (Profile, bool) {
	for _, p := range Presets() {
		if p.Profile.Name == name && !p.Unlisted {
			return p.Profile, true
		}
	}
	return Profile{}, false
}

// ParsePresets reads names separated by commas, "P240p30fps16x9,P360p30fps16x9".
// Blanks around a name and empty elements do not count; an empty list is no
// error. The error is a fault InvalidProfiles that names the unknown preset.
func ParsePresets(list string) ([]Profile, error) {
	var out []Profile
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		p, ok := PresetByName(name)
		if !ok {
			return nil, fault.New(fault.InvalidProfiles, "read presets",
				fmt.Sprintf("preset %.64q is unknown", name))
		}
		if len(out) == maxProfileList {
			return nil, tooManyProfiles("read presets")
		}
		out = append(out, p)
	}
	return out, nil
}

func tooManyProfiles(op string) error {
	return fault.New(fault.InvalidProfiles, op, fmt.Sprintf("more than %d profiles", maxProfileList))
}
