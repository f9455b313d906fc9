# bash completion for rattle: made by tools/completions
_rattle() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options= words= files=
  local commands="run check study sweep sample fit resume watch recover info certify cite methods verify new export plot report animate live gallery bonds help"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$commands --help --version" -- "$cur"))
    return
  fi
  case $command:$prev in
    run:-o|run:--output|run:--from|check:--from|study:-o|study:--output|study:--from|sweep:-o|sweep:--output|sample:--from|sample:-o|sample:--output|export:--from) files="*.h5" ;;
    run:-P|run:--param|run:--method|run:--step|run:--stop|run:--steps|run:--every|run:--at|run:--start|run:--stop-after|run:--threads|run:--observe|check:-P|check:--param|check:--start|check:--samples|check:--seed|study:--methods|study:--method|study:--stop|study:--step|study:--every|study:--spectrum|study:--period|study:--arcs|study:--along|study:--to|study:--points|study:--steady|study:--lowest|study:--error|study:--reference|study:--effort|study:-P|study:--param|study:--start|study:--threads|sweep:--set|sweep:--start|sweep:--count|sweep:--seed|sweep:--design|sweep:--methods|sweep:--steps-of|sweep:-P|sweep:--param|sweep:--method|sweep:--step|sweep:--stop|sweep:--steps|sweep:--keep|sweep:--columns|sweep:--at|sweep:--events|sweep:--every|sweep:--stop-after|sweep:--threads|sample:-P|sample:--param|sample:--method|sample:--step|sample:--chains|sample:--samples|sample:--warmup|sample:--every|sample:--acceptance|sample:--seed|sample:--along|sample:--start|sample:--starts|sample:--spread|sample:--stop-after|sample:--threads|fit:--vary|fit:--vary-start|fit:--sigma|fit:--columns|fit:-P|fit:--param|fit:--method|fit:--step|fit:--most-steps|fit:--stop-after|resume:--stop|resume:--stop-after|resume:--threads|resume:--observe|watch:--y|watch:--interval|watch:--wait|watch:--port|certify:--stop-after|certify:--model|certify:-P|certify:--param|certify:--method|certify:--step|certify:--every|methods:-P|methods:--param|export:-o|export:--output|export:-P|export:--param|export:--start|plot:--x|plot:--y|plot:--z|plot:--event|plot:--from|plot:--to|plot:--legend|plot:--title|plot:--width|plot:--height|plot:--font|plot:--size|animate:--at|animate:--rate|animate:--seconds|animate:--fps|animate:--size|animate:--patience|live:-P|live:--param|live:--method|live:--step|live:--stop|gallery:--threads|bonds:-t|bonds:--tolerance|bonds:-D|bonds:--define|bonds:-I|bonds:--include|bonds:--angles|bonds:--hmr|bonds:-P|bonds:--param) return ;;
    run:--csv|study:--csv|sweep:--csv|sample:--csv|info:--csv|bonds:-o|bonds:--output) files="*" ;;
    run:--evaluator|study:--evaluator|sweep:--evaluator|sample:--evaluator|fit:--evaluator|resume:--evaluator|certify:--evaluator|export:--evaluator) COMPREPLY=($(compgen -W "auto block native" -- "$cur")); return ;;
    run:--plugin|check:--plugin|study:--plugin|sweep:--plugin|resume:--plugin|certify:--plugin|cite:--plugin|methods:--plugin|verify:--plugin) files="*.so" ;;
    study:--window) COMPREPLY=($(compgen -W "hann none" -- "$cur")); return ;;
    study:--hold) COMPREPLY=($(compgen -W "energy period nothing" -- "$cur")); return ;;
    study:--quantity) COMPREPLY=($(compgen -W "solution energy" -- "$cur")); return ;;
    sweep:--cases|fit:-o|fit:--output) files="*.csv" ;;
    methods:--model) files="*.lua" ;;
    new:--from) COMPREPLY=($(compgen -W "$(rattle new --list 2>/dev/null | cut -d' ' -f1)" -- "$cur")); return ;;
    export:--units|bonds:--units) COMPREPLY=($(compgen -W "real metal lj si cgs electron micro nano gromacs" -- "$cur")); return ;;
    plot:-o|plot:--output) files="*.svg|*.png|*.pdf|*.eps|*.tex|*.gp" ;;
    plot:--style) COMPREPLY=($(compgen -W "$(rattle plot --help 2>/dev/null | sed -n '/^styles:/,/^$/s/^  \([a-z]*\):.*/\1/p')" -- "$cur")); return ;;
    plot:--log) COMPREPLY=($(compgen -W "x y xy none" -- "$cur")); return ;;
    plot:--with) COMPREPLY=($(compgen -W "lines points both" -- "$cur")); return ;;
    report:-o|report:--output|animate:-o|animate:--output|live:-o|live:--output) files="*.html" ;;
    gallery:-o|gallery:--output) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    gallery:--only) COMPREPLY=($(compgen -W "$(rattle gallery --list 2>/dev/null | cut -d' ' -f1)" -- "$cur")); return ;;
  esac
  if [ -z "$files" ]; then
    case $command in
      run) options="--output --param --method --step --stop --steps --every --at --exact --start --from --stop-after --project --certify --cotangent --force --csv --extremes --json --quiet --threads --evaluator --plugin --observe --help"; files="*.lua" ;;
      check) options="--param --start --from --project --samples --seed --quick --all --json --plugin --help"; files="*.lua" ;;
      study) options="--methods --method --stop --step --every --spectrum --window --period --hold --arcs --along --to --points --nearest --steady --lowest --error --quantity --reference --effort --output --csv --force --param --start --from --project --threads --json --quiet --evaluator --plugin --help"; files="*.lua"; [ "$COMP_CWORD" -eq 2 ] && words="order drift work compare advise lyapunov orbit family equilibrium modes" files= ;;
      sweep) options="--output --set --start --cases --count --seed --design --methods --steps-of --param --method --step --stop --steps --project --certify --keep --columns --at --events --every --stop-after --force --csv --json --quiet --threads --evaluator --plugin --help"; files="*.lua" ;;
      sample) options="--param --method --step --chains --samples --warmup --every --acceptance --seed --multipliers --along --start --from --starts --spread --output --csv --force --stop-after --threads --evaluator --json --help"; files="*.lua" ;;
      fit) options="--vary --vary-start --sigma --columns --param --method --step --most-steps --output --force --stop-after --evaluator --json --help"; files="*.lua|*.csv" ;;
      resume) options="--stop --stop-after --certify --json --quiet --threads --evaluator --plugin --observe --help"; files="*.h5" ;;
      watch) options="--y --interval --wait --web --port --json --help"; files="*.h5" ;;
      recover) options="--json --help"; files="*.h5" ;;
      info) options="--json --csv --force --help"; files="*.h5" ;;
      certify) options="--stop-after --evaluator --plugin --model --param --method --step --every --json --help"; files="*.h5|*.csv" ;;
      cite) options="--plugin --help"; files="*.h5" ;;
      methods) options="--model --param --json --plugin --help" ;;
      verify) options="--plugin --all --json --help"; files="*.so" ;;
      new) options="--from --list --force --help" ;;
      export) options="--output --urdf --mjcf --units --param --start --from --project --force --evaluator --help"; files="*.lua" ;;
      plot) options="--output --style --x --y --z --event --from --to --log --with --legend --title --width --height --font --size --gnuplot --force --help"; files="*.h5" ;;
      report) options="--output --live --force --json --quiet --help"; files="*.h5" ;;
      animate) options="--output --at --rate --seconds --fps --size --patience --force --quiet --help"; files="*.h5" ;;
      live) options="--output --param --method --step --stop --force --quiet --help"; files="*.lua|*.lua" ;;
      gallery) options="--output --only --list --threads --quiet --help" ;;
      bonds) options="--tolerance --hydrogens --define --include --angles --units --hmr --param --output --force --json --help"; files="*.bonds|*.data|*.top|*.lua|*.gro"; [ "$COMP_CWORD" -eq 2 ] && words="check bench export" files= ;;
      help) words="$commands $(rattle help 2>/dev/null | sed -n 's/^    \([a-z-]*\) .*/\1/p')" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$options $words" -- "$cur"))
  if [ -n "$files" ] && [[ $cur != -* ]]; then
    COMPREPLY=($(shopt -s extglob; compgen -f -X "!@($files)" -- "$cur"; compgen -d -S / -- "$cur"))
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _rattle rattle
