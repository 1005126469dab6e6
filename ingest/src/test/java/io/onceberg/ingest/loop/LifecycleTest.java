package io.onceberg.ingest.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LifecycleTest {
  @Test
  void onlyMovesOfTheTableAreMade() {
    Lifecycle lifecycle = new Lifecycle();
    assertThatThrownBy(() -> lifecycle.moveTo(LoopState.RUNNING, "too early"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("STARTING to RUNNING: too early");
    assertThat(lifecycle.state()).isEqualTo(LoopState.STARTING);

    lifecycle.moveTo(LoopState.PLANNING, "");
    lifecycle.moveTo(LoopState.RUNNING, "");
    lifecycle.moveTo(LoopState.PLANNING, "");
    assertThat(lifecycle.entered(LoopState.PLANNING)).isEqualTo(2);
    assertThat(lifecycle.entered(LoopState.IDLE)).isZero();
  }

  @Test
  void everyStateCanBeReachedAndLeadsToAnEnd() {
    Set<LoopState> reached = EnumSet.of(LoopState.STARTING);
    for (LoopState ignored : LoopState.values()) {
      for (LoopState state : Set.copyOf(reached)) {
        reached.addAll(state.moves());
      }
    }
    assertThat(reached).containsExactlyInAnyOrder(LoopState.values());
    assertThat(Arrays.stream(LoopState.values()).filter(LoopState::isEnd))
        .containsExactly(LoopState.STOPPED, LoopState.FAILED);
    assertThat(Arrays.stream(LoopState.values()).filter(state -> !state.isEnd()))
        .filteredOn(state -> state != LoopState.STOPPING)
        .allMatch(state -> state.moves().contains(LoopState.STOPPING));
  }
}
