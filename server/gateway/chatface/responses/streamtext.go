package responses

// reasoning adds to what the model thinks.
func (s *stream) reasoning(dst []byte, more string) []byte {
	if s.current == nil || s.current.kind != typeReasoning {
		dst = s.closeText(dst, completed)
		s.current = &outItem{kind: typeReasoning}
		dst = s.addItem(dst, s.current)
		dst = s.addPart(dst, false)
	}
	it := s.current
	it.parts[0].text = append(it.parts[0].text, more...)
	dst = s.partHead(dst, "response.reasoning_text.delta", it)
	return append(appendText(dst, "delta", more), endOfEvent...)
}

// text adds to what the model says.
func (s *stream) text(dst []byte, more string, logprobs []byte) []byte {
	dst = s.openPart(dst, false)
	it := s.current
	p := &it.parts[len(it.parts)-1]
	p.text = append(p.text, more...)
	if len(p.logprobs) > 0 && len(logprobs) > 0 {
		p.logprobs = append(p.logprobs, ',')
	}
	p.logprobs = append(p.logprobs, logprobs...)
	dst = appendText(s.partHead(dst, "response.output_text.delta", it), "delta", more)
	dst = append(append(dst, `,"logprobs":[`...), logprobs...)
	return append(append(dst, ']'), endOfEvent...)
}

// refusal adds to why the model does not answer.
func (s *stream) refusal(dst []byte, more string) []byte {
	dst = s.openPart(dst, true)
	it := s.current
	p := &it.parts[len(it.parts)-1]
	p.text = append(p.text, more...)
	return append(appendText(s.partHead(dst, "response.refusal.delta", it), "delta", more), endOfEvent...)
}

// openPart makes the current item a message whose last part is text, or a refusal.
func (s *stream) openPart(dst []byte, refusal bool) []byte {
	if s.current == nil || s.current.kind != typeMessage {
		dst = s.closeText(dst, completed)
		s.current = &outItem{kind: typeMessage}
		dst = s.addItem(dst, s.current)
		return s.addPart(dst, refusal)
	}
	if it := s.current; it.parts[len(it.parts)-1].refusal != refusal {
		dst = s.closePart(dst)
		return s.addPart(dst, refusal)
	}
	return dst
}

// addPart adds an empty part to the current item.
func (s *stream) addPart(dst []byte, refusal bool) []byte {
	it := s.current
	it.parts = append(it.parts, outPart{refusal: refusal})
	dst = appendName(s.partHead(dst, "response.content_part.added", it), "part")
	return append(it.appendPart(dst, &it.parts[len(it.parts)-1]), endOfEvent...)
}

// closePart appends the events of the end of the current item's last part.
func (s *stream) closePart(dst []byte) []byte {
	it := s.current
	p := &it.parts[len(it.parts)-1]
	switch {
	case it.kind == typeReasoning:
		dst = appendText(s.partHead(dst, "response.reasoning_text.done", it), "text", p.text)
	case p.refusal:
		dst = appendText(s.partHead(dst, "response.refusal.done", it), "refusal", p.text)
	default:
		dst = appendText(s.partHead(dst, "response.output_text.done", it), "text", p.text)
		dst = append(append(append(dst, `,"logprobs":[`...), p.logprobs...), ']')
	}
	dst = append(dst, endOfEvent...)
	dst = appendName(s.partHead(dst, "response.content_part.done", it), "part")
	return append(it.appendPart(dst, p), endOfEvent...)
}

// closeText ends the current item of text, if there is one.
func (s *stream) closeText(dst []byte, how state) []byte {
	if s.current == nil {
		return dst
	}
	dst = s.closePart(dst)
	dst = s.closeItem(dst, s.current, how)
	s.current = nil
	return dst
}
