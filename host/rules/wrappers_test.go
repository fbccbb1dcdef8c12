package rules

import (
	"strings"
	"testing"
)

// wholly is a rule for all words of a command, as a user could write it, and one for echo.
func wholly(t *testing.T, command string) []Rule {
	t.Helper()
	parts, problem := Request{Kind: "execute", Cwd: "/nowhere/p", Command: command}.parts()
	if problem != "" || len(parts) == 0 {
		t.Fatalf("%s: %s", command, problem)
	}
	list := []Rule{{Command: "echo", Action: "allow"}}
	for _, p := range parts {
		var texts []string
		for _, w := range p.command {
			texts = append(texts, w.text)
		}
		list = append(list, Rule{Command: quoteFields(texts), Action: "allow"})
	}
	return list
}

var (
	// wrapping are commands that run the one after them with their input.
	wrapping = strings.Split("timeout 60|env|env -i|env A=b|nice|nice -n 5|nohup|setsid -w|stdbuf -o0|time -p|/usr/bin/time|ionice -c 3|chrt -i 0|taskset 1|"+
		"flock x|sudo|sudo -u bob|doas|busybox|strace -f|xvfb-run|docker exec -i x|docker exec c|docker run -i img|kubectl exec -i p --|ssh host|ssh -p 22 host|"+
		"ssh -o A=b host|npx|npx -y|npm exec --|uv run|poetry run|bundle exec|pipenv run|conda run|chroot /x|unshare -r|env -u X|timeout 5 env nice|"+
		"xargs -a x|cross-env A=b|direnv exec .|docker compose exec x|command time|git bisect run|git submodule foreach|find . -exec|watch -n 1|parallel|dotenv --", "|")
	// reading are commands that read from their input what to do.
	reading = strings.Split("bash|sh|/bin/sh|zsh -f|dash -|bash -s|bash -s x|bash -x|bash -o pipefail|bash --norc|bash +x|sh -e|python3|python|python3 -|python3.12 -u|"+
		"python3 -W ignore|python3 -X dev|python3 -i x.py|python3 -m pdb x.py|python3 -m code|python3 /dev/stdin|python3 /dev/fd/0|python3 /proc/self/fd/0|"+
		"perl|perl -w|perl -|perl -d x.pl|perl -I lib|node|node -|node -i|node -r ./x|node --require ./x|node inspect x.js|ruby|ruby -I lib|ruby -|php|php -a|lua|lua -|lua -i|"+
		"irb|tsx|psql|mysql|sqlite3|sqlite3 x|vim|gdb|R|ghci|iex|bc|python3 manage.py shell|php artisan tinker|rails console|rails c|make -f -|make -f/dev/stdin|make -f-|"+
		"make --file=-|sed -f - x|awk -f /dev/stdin x|deno|deno repl|deno run -|bun repl|osascript|fish|tclsh|expect|patch -p1|su bob|sudo -s|sudo -i|sudo -Hs|script x|at now|batch|"+
		"kubectl apply -f -|docker build -|docker run -i x|docker run -it x|podman attach x|nix-shell|nix develop|poetry shell|pipenv shell|npm exec|npx|git shell|"+
		"git fast-import|xargs sh|xargs -n1 sh -c|xargs -I% sh -c %|xargs -I{} {}|xargs env|xargs -I{} bash -c {}|redis-cli|elixir|stack ghci|cabal repl", "|")
)

// What reads from its input what to do is not allowed by a rule that names it, not offered, and not by any command that runs it
// (behaviour 960).
func TestInput(t *testing.T) {
	var commands []string
	for _, by := range wrapping {
		for _, command := range reading {
			commands = append(commands, by+" "+command)
		}
	}
	commands = append(commands, reading...)
	commands = append(commands, "env -S 'bash -s'", "su -c bash bob", "ssh host 'cat | bash'", "sh -c 'python3 -'", "bash --norc -c 'x; sh'", "find . -exec sh -c 'python3 -' ';'", "script -c bash x",
		"docker compose run -i x", "git -c core.pager=sh log", "git rebase -x sh x", "watch 'x | sh'", "nix-shell --run bash", "timeout 5 python3 -W", "npx -c bash",
		"kubectl run -i x --image=y", "kubectl debug -it x", "docker run --name exec -i x", "unshare", "chroot /x", "fakeroot", "sg x", "crontab", "crontab -", "entr sh /_",
		"parallel", "parallel sh", "openssl", "git am - x --exec=y -", "curl -K - x", "wget -i - x", "install /dev/stdin x", "tee /dev/fd/0",
		"find . -exec sh ';'", "find . -maxdepth 0 -exec env sh ';'", "find . -exec sh +", "find . -ok busybox sh ';' -print", "parallel -N0 bash ::: 1", "find . -exec timeout 5 python3 ';' -exec ls ';'",
		"ssh host '$SHELL'", "ssh host ''", "ssh host 'exec $0'", "su -c '$SHELL' bob", "env -S '${SHELL}'", "git -c 'alias.x=!$SHELL' x", "ssh host 'eval \"$(cat)\"'", "zsh -o shinstdin x", "mksh -o stdin x",
		"docker run -i=true x", "docker run -iv a:b x", "docker start -ai x", "m4", "gs", "pdflatex", "tar xz", "tar -x", "bsdtar -xf- x", "cpio -idm", "pax -r", "7z x -si", "capsh --", "Bash", "timeout 5 BASH",
		"timeout 5 bash.exe", "flask shell", "jupyter console", "wine cmd", "limactl shell x", "nim secret", "bash -T x", "jar x", "mksh -T x", "GIT shell", "Python3", "xargs SH -c", "npm exec --", "npm exec -y", "npm x", "tar xzf -", "tar -xf -", "nix develop", "nix shell x", "nix develop -c bash",
		"wget"+strings.Repeat(" x", maxNamed+1)) // more words than are looked at
	for i, command := range commands {
		if strings.HasPrefix(command, "time ") || strings.HasPrefix(command, "command ") { // words of shells
			continue
		}
		rules := wholly(t, command)
		texts := []string{"echo x | " + command, command, command + " <<'E'\nx\nE", command + " < x"}
		if i%37 > 0 {
			texts = texts[:1]
		}
		for _, text := range texts {
			r := Request{Kind: "execute", Cwd: "/nowhere/p", Command: text}
			if v := Judge(append(rules, Rule{Kind: "read", Action: "allow"}), r); v.Action != "ask" {
				t.Errorf("%s: got %s", text, v.Action)
				break
			}
			for _, offer := range Suggest(r) {
				if len(offer) > 1 || !strings.HasPrefix(offer[0].Command, "echo") {
					t.Errorf("%s: offered %s", text, offer)
				}
			}
		}
	}
}

// What does not, is offered, and allowed by the rule (behaviour 960).
func TestOtherInput(t *testing.T) {
	for _, command := range strings.Split("timeout 60 go test ./...|timeout 30 npm test|env A=b make test|nice -n 5 make|nohup npm start|sudo -u bob ls|ssh host uptime|ssh -p 22 host uptime|"+
		"xargs -n1 echo|xargs grep -n x|xargs -I{} cp {} x/{}|xargs -0 rm -f|find . -name x -exec grep -l a {} +|find . -exec sed -i s/a/b/ {} +|docker exec -i db pg_dump x|"+
		"docker exec -it app npm test|kubectl exec -it p -- ls|docker run --rm x npm test|python3 x.py|bash x.sh|bash -x x.sh|bash -o pipefail x.sh|timeout 5 bash x.sh|"+
		"timeout 5 python3 -m pytest|uv run pytest|uv run python x.py|npx -y tsc --noEmit|npx eslint src|bundle exec rspec|poetry run pytest -x|node --test|python3 -m unittest|"+
		"python3 -m http.server 8000|python3 -m venv .venv|python3 manage.py test|php -S localhost:8000|make -f x.mk all|kubectl apply -f x.yaml|docker build -t app .|"+
		"curl -s -o /dev/null http://x|wget -qO- http://x|wget -O - http://x|openssl version|sqlite3 x .tables|tar czf x.tgz src|git apply x.patch|env|java -jar x.jar|deno run x.ts|"+
		"npx tsx x.ts|node --max-old-space-size=4096 x.js|perl -pe s/a/b/ x|ruby -e 1|sed -e s/a/b/ -e s/c/d/ x|patch -i x|npm exec tsc|npm exec -- tsc|nix develop -c make|tar czf - src|tar -cf - src|parallel echo ::: a b|crontab -l", "|") {
		r := Request{Kind: "execute", Cwd: "/nowhere/p", Command: command}
		if offers := Suggest(r); len(offers) == 0 || Judge(offers[0], r).Action != "allow" {
			t.Errorf("%s: no offer: %s", command, Judge(wholly(t, command), r).Why)
		}
	}
}

// A rule for an interpreter names its script and all before it, or its code with all of its arguments; a script or a module that is a
// known program is judged as that (behaviour 961).
func TestInterpreters(t *testing.T) {
	for _, command := range []string{
		"perl -e print\\ 1 | -e system", "perl -e 1 | x -e y", "perl -I lib | -e x", "perl -I lib | x.pl", "perl -w | x.pl", "perl | x.pl", "perl -ne 1 | 'x|'",
		"python3 -W ignore | -c x", "python3 -W ignore | x.py", "python3 -X | x y", "python3 -m pip | install x", "python3 -m pytest | -p evil", "python3 -m pytest | --rootdir=x",
		"python3 -m cProfile | x.py", "python3 -m timeit | -s x", "python3 -m | pip", "python3 | -c x", "python3 -Ic | x", "python3 -u | -c x", "python3 -Bc | x", "python3 -Z x | y.py",
		"python3 -m coverage | run x", "python3 -m tox | -x", "python3 -m http.server | 80", "python3 manage.py | shell", "python3 manage.py | test --settings=x", "python3 manage.py | runscript x",
		"node -r ./pre.js | evil.js", "node -e 1 | -r ./evil.js", "node -p 1 | --require ./x", "node --require | ./x y.js", "node --import ./x | y.js", "node --loader | x y.js", "node --eval=1 | -r x",
		"node --env-file=x | y.js", "node -pe 1 | -r x", "node --foo x | y.js", "ruby -I lib | x.rb", "ruby -I lib | -e x", "ruby -rx | y.rb", "ruby -e 1 | -e 2", "ruby -C x | y.rb",
		"java -cp build | -cp x Main", "java -cp build | Main", "java --class-path x | -jar y", "java -jar | x.jar", "java -Xmx1g | Main", "java -javaagent:x | Main", "java @x | Main",
		"java -XX:OnOutOfMemoryError=x | Main", "deno run | x.ts", "deno run | -A x.ts", "deno run x.ts | -A", "deno test | -A", "deno test | --allow-all", "deno | eval x", "deno test | --config x",
		"bun run | x", "bun | x.ts", "bun test | --preload x", "bun test | -r x", "bun run x | --y", "php -d x=y | z.php", "php -r 1 | -d x", "php -S localhost:1 | x.php", "php | x.php",
		"lua -l x | y.lua", "lua -e 1 | -e 2", "tsx | x.ts", "ts-node -r x | y.ts", "Rscript -e 1 | -e 2", "bash | x.sh", "bash -o | pipefail x.sh", "bash --rcfile x | y.sh", "sh -c x | y",
		"php artisan | tinker", "php artisan | db", "python3 -m pip install x | --index-url=y", "pypy3 -W x | y.py", "node scripts/build.js -- | x; node -e x",
	} {
		rule, rest, _ := strings.Cut(command, " | ")
		if v := Judge([]Rule{{Command: rule, Action: "allow"}}, Request{Kind: "execute", Cwd: "/", Command: strings.ReplaceAll(rule, `\ `, "' '") + " " + rest}); v.Action != "ask" {
			t.Errorf("%s: got %s", command, v.Action)
		}
	}
	for _, command := range []string{
		"perl x.pl | -e y", "python3 x.py | -c y", "python3 -W ignore x.py | -c y", "python3 -c 1 | -c 2", "python3 -m pytest | tests -k x -q", "python3 -m pip | list", "python3 -m unittest | -v tests",
		"node x.js | -e y", "node -r ./pre.js x.js | --require z", "ruby -I lib x.rb | -e y", "java -cp build Main | -cp x", "java -jar x.jar | -jar y", "java -Xmx1g -Da=b Main | x", "php x.php | -r y",
		"python3 manage.py | test app -k x", "php artisan | route:list", "deno test | src", "bun test | -t x", "tsx x.ts | -e y", "python3 -- x.py | -c y", "node --max-old-space-size=4096 x.js | y",
	} {
		rule, rest, _ := strings.Cut(command, " | ")
		if v := Judge([]Rule{{Command: rule, Action: "allow"}}, Request{Kind: "execute", Cwd: "/", Command: rule + " " + rest}); v.Action != "allow" {
			t.Errorf("%s: got %s: %s", command, v.Action, v.Why)
		}
	}
}

// A command that gets words from elsewhere is judged with such as are options, or a program (behaviour 962).
func TestFed(t *testing.T) {
	for _, command := range strings.Split("xargs sed -n 1p|xargs git grep x|xargs git log|xargs tar tf|xargs rg x|xargs sort|xargs gcc -c|xargs python3|xargs -I{} python3 {}|xargs -I{} python3 x/{}|"+
		"xargs -n1 timeout 5|xargs -I% git % x|xargs -i sh -c 'echo {}'|xargs --replace=% sh -c 'echo %'|xargs -IX sh -c 'echo X'|xargs -J % sh -c %|xargs -L1 node|xargs -P4 env|xargs xargs rm|"+
		"xargs --foo rm|xargs -o rm|xargs -I{} find {} -delete|xargs find|xargs -a x git grep y|find . -exec bash {} +|find . -exec {} ';'|find . -execdir python3 {} ';'|find . -ok sh {} ';'|"+
		"find . -exec env {} ';'|find . -exec sh -c 'x {}' ';'|find . -exec xargs sh ';'|fd x -x sh|fd x -x sed -n 1p|fd x --exec bash {}|fd x -X node|fd x -x {}|busybox xargs sh|"+
		"timeout 5 xargs sed -n 1p|find . -exec timeout 5 {} ';'|find . -exec find {} -delete ';' -exec sh {} ';'|xargs awk {print}|xargs npm test|xargs -I{} npm test x/{}|xargs -I{} make x{}|find . -name x -exec just x/{} ';'|xargs -d, uniq", "|") {
		if v := Judge(wholly(t, command), Request{Kind: "execute", Cwd: "/nowhere/p", Command: command}); v.Action != "ask" {
			t.Errorf("%s: got %s", command, v.Action)
		}
	}
}

// A rule that denies or asks is also for what a wrapper runs, whatever allows that (behaviour 963).
func TestWrappedDenied(t *testing.T) {
	list := []Rule{{Command: "git push", Action: "deny"}, {Command: "rm", Action: "ask"}, {Action: "allow"}}
	for command, want := range map[string]string{
		"timeout 60 git push": "deny", "env A=b git push": "deny", "nice -n 5 nohup git push x": "deny", "sudo -u bob git push": "deny", "ls | xargs git push": "deny", "ssh host git push": "deny",
		"timeout 5 bash -c 'git push'": "deny", "find . -exec git push ';'": "deny", "find . -exec rm {} +": "ask", "ls | xargs rm": "ask", "timeout 5 rm x": "ask", "env git status": "allow",
		"timeout 5 git log push": "allow", "timeout 5 git $x": "ask", "gtimeout 5 git push": "deny", "genv A=b git push": "deny", "gfind . -exec rm {} +": "ask", "sshpass -p x git push": "deny", "proxychains4 git push": "deny", "eatmydata rm x": "ask", "sem -j2 git push": "deny", "arch -x86_64 git push": "deny",
		"busybox rm x": "ask", "npx rm x": "ask", "timeout 5 sh -c 'ls; rm x'": "ask", "find . -name rm": "allow", "timeout 5 bash -c 'ls'": "allow",
		"env " + strings.Repeat("A=b ", 600) + "git push": "ask", "timeout 5 git push" + strings.Repeat(" x", 600): "ask", "Timeout 5 git push": "deny",
	} {
		if v := Judge(list, Request{Kind: "execute", Cwd: "/nowhere/p", Command: command}); v.Action != want {
			t.Errorf("%s: got %s (%s), want %s", command, v.Action, v.Why, want)
		}
	}
	if v := Judge([]Rule{{Command: "timeout 5 ls", Action: "allow"}}, Request{Kind: "execute", Cwd: "/nowhere/p", Command: "timeout 5 ls"}); v.Action != "allow" {
		t.Errorf("a rule that names all is not enough: %s", v.Why)
	}
}
