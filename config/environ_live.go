package config

import "strings"

// liveVariables adapts variables of live video that the existing node reads otherwise than options are read here,
// and reports those that have no option.
func liveVariables(vars map[string]string) (notices []Notice) {
	report := func(name, text string) {
		notices = append(notices, Notice{Subject: name, Origin: Origin{Source: FromEnv, Name: name}, Text: text})
	}
	const whip, whep, cors = "LIVE_AI_WHIP_ADDR", "LIVE_AI_WHEP_ADDR", "LIVE_AI_ALLOW_CORS"
	switch viewers := vars[whep]; {
	case viewers == "" || viewers == vars[whip]:
	case vars[whip] == "":
		vars[whip] = viewers
		report(whep, "publishers and viewers of live video have one port here; write TUTTI_LIVE_MEDIA_ADDR")
	default:
		report(whep, "not used: viewers of live video have the port of -liveMediaAddr, as publishers have; delete it")
	}
	if text := vars[cors]; text != "" {
		if _, err := parseBool(text); err != nil {
			vars[cors] = "true" // there any text turns it on
		}
	}
	if strings.EqualFold(vars["LIVE_AI_WHEP_MAX_SESSIONS"], "unlimited") {
		vars["LIVE_AI_WHEP_MAX_SESSIONS"] = "100000"
	}
	if vars["LIVE_AI_PLAYBACK_HOST"] != "" {
		report("LIVE_AI_PLAYBACK_HOST", "not used: a result goes to viewers by WHEP and to the addresses of rtmpOutput; "+
			"name the media server's there")
	}
	if off, err := parseBool(vars["LIVE_AI_DISABLE_RTMP_OUTPUT"]); err == nil && !off {
		report("LIVE_AI_DISABLE_RTMP_OUTPUT", "not used: no result goes to the media server by itself; name its address in "+
			"rtmpOutput")
	}
	return notices
}
