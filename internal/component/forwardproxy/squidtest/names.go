package squidtest

// AnswerNames has the machine answer every question for an IPv4 address with one, as a DNS server.
func (s *Server) AnswerNames() {
	t := s.t
	t.Helper()
	conn, err := s.ListenPacket(t.Context(), "udp", "127.0.0.1:53")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		in := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(in)
			if err != nil {
				return
			}
			end := 12
			for end < n && in[end] != 0 {
				end += int(in[end]) + 1
			}
			if end += 5; end > n {
				continue
			}
			out := append([]byte{in[0], in[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, in[12:end]...)
			if in[end-3] == 1 {
				out[7] = 1
				out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 0, 0, 4, 203, 0, 113, 7)
			}
			_, _ = conn.WriteTo(out, from)
		}
	}()
}
